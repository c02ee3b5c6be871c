/** Texts by number: a column of a few texts needs a number for each row. */
export class Dictionary {
  readonly texts: string[] = [''];
  private readonly numbers = new Map<string, number>([['', 0]]);

  /** The number of a text, which it gets the first time; 0 is no text. */
  number(text: string | null | undefined): number {
    if (!text) return 0;
    let number = this.numbers.get(text);
    if (number === undefined) {
      number = this.texts.length;
      this.texts.push(text);
      this.numbers.set(text, number);
    }
    return number;
  }

  /** The number of a text, or -1. */
  known(text: string): number {
    return this.numbers.get(text) ?? -1;
  }

  text(number: number): string {
    return this.texts[number] ?? '';
  }

  get size(): number {
    return this.texts.length;
  }
}
