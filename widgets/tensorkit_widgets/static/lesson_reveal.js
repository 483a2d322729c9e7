// @ts-check
/**
 * Predict, commit, reveal: a fold that answers predictions opens when they are made, or skipped. It can be opened by hand too.
 *
 * A card says in its HTML whether its answer may be seen (data-card, data-revealed), and tells the document when it was
 * drawn ("tensorkit-card"), as it does in JupyterLab.
 */

/**
 * @param {string[]} before the cards whose answers were in sight when the page was last left
 * @param {(names: string[]) => void} keep hears of those that are now
 * @param {(words: string) => void} say
 */
export function reveal(before, keep, say) {
  const seen = new Set(before);
  const folds = /** @type {HTMLDetailsElement[]} */ ([...document.querySelectorAll("details.lesson-waits")]);
  const look = () => {
    let news = false;
    for (const fold of folds) {
      const open = (fold.dataset.after ?? "").split(" ").every((name) => seen.has(name));
      if (open === fold.classList.contains("lesson-told")) continue;
      fold.classList.toggle("lesson-told", open);
      fold.open = open;
      news ||= open;
    }
    return news;
  };
  look();
  document.addEventListener("tensorkit-card", () => {
    for (const card of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-card]"))) {
      const { card: name = "", revealed } = card.dataset;
      if (revealed === "false") seen.delete(name);
      else seen.add(name);
    }
    keep([...seen]);
    if (look()) say("The answer is in sight, below the question.");
  });
}
