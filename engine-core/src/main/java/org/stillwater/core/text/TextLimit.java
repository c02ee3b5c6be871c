package org.stillwater.core.text;

/**
 * How much of a reported text is kept.
 *
 * @param characters most characters (UTF-16 code units), the mark of a cut text included; of a list
 *     or JSON document, all of its text together
 * @param entries most entries of a list or JSON document; 1 for a plain text
 */
public record TextLimit(int characters, int entries) {

    /** A DNS name, RFC 1035 §2.3.4; oVirt's columns of short texts have the same length. */
    public static final TextLimit NAME = plain(255);

    public TextLimit {
        if (characters < 2 || entries < 1) {
            throw new IllegalArgumentException(
                    "a text has room for two characters and one entry at least");
        }
    }

    /** A limit of a plain text. */
    public static TextLimit plain(int characters) {
        return new TextLimit(characters, 1);
    }

    /** For the reference pages: "255", "65 536 in 4 096 entries". */
    @Override
    public String toString() {
        return entries == 1
                ? grouped(characters)
                : grouped(characters) + " in " + grouped(entries) + " entries";
    }

    private static String grouped(int number) {
        return number < 1_000 ? "" + number : grouped(number / 1_000) + " " + lastDigits(number);
    }

    private static String lastDigits(int number) {
        int last = number % 1_000;
        return (last < 100 ? "0" : "") + (last < 10 ? "0" : "") + last;
    }
}
