// jsdom knows no PointerEvent; what the widgets read of one is little.
globalThis.PointerEvent ??= class PointerEvent extends MouseEvent {
  constructor(type, init = {}) {
    super(type, init);
    this.pointerId = init.pointerId ?? 0;
  }
};

// Nothing is laid out in jsdom: nothing changes its size.
globalThis.ResizeObserver ??= class {
  observe() {}
  disconnect() {}
};

// The names here need no escape.
globalThis.CSS ??= { escape: String };
