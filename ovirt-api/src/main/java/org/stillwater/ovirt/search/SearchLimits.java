package org.stillwater.ovirt.search;

/**
 * How much a query may be. What is beyond is treated as any malformed text: it finds nothing.
 *
 * @param maxCharacters the longest text
 * @param maxTerms the most terms, however they are joined
 * @param defaultPageSize how many entities {@code page n} skips and answers without {@code max}
 */
public record SearchLimits(int maxCharacters, int maxTerms, int defaultPageSize) {

    /** What serves people and programs; a list of a hundred names still fits. */
    public static final SearchLimits USUAL = new SearchLimits(8_192, 256, 100);

    public SearchLimits {
        if (maxCharacters < 1 || maxTerms < 1 || defaultPageSize < 1) {
            throw new IllegalArgumentException("limits of a search begin at 1");
        }
    }
}
