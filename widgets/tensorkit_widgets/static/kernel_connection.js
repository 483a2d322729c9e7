// @ts-check
/**
 * Whether the kernel behind a picture can be reached, where the host says so (JupyterLab, Notebook 7, Voila).
 *
 * When a server goes, no widget is told: the notebook goes on trying to reach the kernel, and gives one up that was lost with
 * its server after minutes. So the connection is watched, and while it is broken the server is asked for the kernel.
 *
 * @typedef {"live" | "away" | "gone"} How
 * @typedef {{ connect(act: () => void): void, disconnect(act: () => void): void }} Signal
 * @typedef {{ id: string, status: string, connectionStatus: string, isDisposed: boolean, disposed: Signal, statusChanged: Signal,
 *   connectionStatusChanged: Signal, serverSettings: { baseUrl: string, token: string, init: RequestInit } }} Kernel
 * @typedef {{ session: object | null, startKernel(): Promise<unknown>, sessionManager: { refreshRunning(): Promise<void> } }} Context
 * @typedef {{ kernel?: Kernel | null, context?: { sessionContext?: Context } }} Manager
 */

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/** One for each connection, however many pictures there are. @type {WeakMap<Kernel, KernelConnection>} */
const lines = new WeakMap();

class KernelConnection {
  /** @param {Kernel} kernel @param {Manager} manager */
  constructor(kernel, manager) {
    this.kernel = kernel;
    this.manager = manager;
    /** @type {Set<(how: How) => void>} */
    this.listeners = new Set();
    /** @type {How} */
    this.how = "live";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.look = () => this.set(this.found());
    this.signals = [kernel.disposed, kernel.statusChanged, kernel.connectionStatusChanged];
  }

  /** @returns {How} */
  found() {
    const { isDisposed, status, connectionStatus } = this.kernel;
    if (this.how === "gone" || isDisposed || status === "dead") return "gone";
    return connectionStatus === "connected" ? "live" : "away";
  }

  /** @param {How} how */
  set(how) {
    const was = this.how;
    if (how === was) return;
    this.how = how;
    clearTimeout(this.timer);
    if (how === "away") this.ask(FIRST_MS);
    for (const listener of [...this.listeners]) listener(how);
    if (how === "gone" && was === "away") void this.replace();
  }

  /** @param {number} wait */
  ask(wait) {
    this.timer = setTimeout(async () => {
      const lost = await this.lost();
      if (this.how !== "away" || this.listeners.size === 0) return;
      if (lost) this.set("gone");
      else this.ask(Math.min(wait * 2, LONGEST_MS));
    }, wait);
  }

  /**
   * The notebook gets a new kernel, as it gets one after a kernel's death: else the next cell waits for the lost one, or every
   * cell of "run all" starts a kernel of its own. A kernel that somebody has shut down was never out of reach: none follows it.
   */
  async replace() {
    const { sessionContext } = this.manager.context ?? {};
    if (!sessionContext || !(await this.lost())) return;
    await sessionContext.sessionManager.refreshRunning();
    if (!sessionContext.session) await sessionContext.startKernel();
  }

  /** Whether the server answers, and knows the kernel no more. */
  async lost() {
    const { baseUrl, token, init } = this.kernel.serverSettings;
    const headers = token ? { Authorization: `token ${token}` } : undefined;
    try {
      return (await fetch(`${baseUrl}api/kernels/${encodeURIComponent(this.kernel.id)}`, { ...init, headers })).status === 404;
    } catch {
      return false; // the server is still away
    }
  }

  /** @param {(how: How) => void} listener @returns {() => void} */
  add(listener) {
    if (this.listeners.size === 0) for (const signal of this.signals) signal.connect(this.look);
    this.listeners.add(listener);
    this.look();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      clearTimeout(this.timer);
      for (const signal of this.signals) signal.disconnect(this.look);
      lines.delete(this.kernel);
    };
  }
}

/**
 * Be told from now on how the kernel of a widget manager is: "away" while it cannot be reached, "live" when it can be again,
 * "gone" once and for all.
 *
 * @param {Manager | undefined} manager
 * @param {(how: How) => void} listener
 * @returns {() => void} stops listening
 */
export function watchKernel(manager, listener) {
  const kernel = manager?.kernel;
  if (!manager || !kernel?.connectionStatusChanged) return () => {};
  const line = lines.get(kernel) ?? new KernelConnection(kernel, manager);
  lines.set(kernel, line);
  return line.add(listener);
}
