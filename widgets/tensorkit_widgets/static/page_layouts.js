// @ts-check
/** The steps of a saved page, each laid out for several widths: without a kernel, the page itself picks the one that fits. */

/** A layout is shrunk to this part of its width, before a narrower one takes its place. */
const SMALLEST = 0.85;

/** The widest layout that need not be shrunk much, or the narrowest. @param {number[]} widths ascending @param {number} room */
export function fitting(widths, room) {
  return widths.filter((width) => room >= width * SMALLEST).at(-1) ?? widths[0];
}

/** The layouts that wait in templates. */
export class Layouts {
  /** @param {HTMLTemplateElement[]} templates @param {HTMLElement} picture where they are shown @param {() => void} again called when another layout fits */
  constructor(templates, picture, again) {
    const widths = [...new Set(templates.map((one) => Number(one.dataset.width)))].sort((a, b) => a - b);
    const fits = () => fitting(widths, picture.clientWidth);
    /** The width whose layouts are shown. */
    this.width = fits();
    this.templates = templates;
    new ResizeObserver(() => {
      if (fits() === this.width) return;
      this.width = fits();
      again();
    }).observe(picture);
  }

  /** The templates of the steps, in order, at the width that fits. */
  get steps() {
    return this.templates.filter((one) => Number(one.dataset.width) === this.width);
  }
}
