package org.stillwater.ovirt.query;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One searchable field of a collection.
 *
 * @param <T> type of the collection's items
 * @param name as the search language writes it, lower case, for example {@code on_host}
 * @param kind how values compare
 * @param value extracts the value from memory, cheaply and without I/O: the class that the kind
 *     names, a {@link java.util.Collection} of that class for several values (any of them may
 *     match; the first sorts), or null for "not known", which equals nothing
 * @param ranks the words of a {@link Kind#WORD} from least to greatest where they are ordered
 *     (severities); empty for words that are only equal or not
 */
public record Field<T>(
        String name, Kind kind, Function<T, ? extends @Nullable Object> value, List<String> ranks) {

    public Field {
        if (!name.equals(name.toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException("fields are named in lower case, not " + name);
        }
        ranks = List.copyOf(ranks);
    }

    /** How the values of a field compare. */
    public enum Kind {
        /** {@link String}; {@code =} and {@code !=} with wildcards; searched by free text. */
        TEXT,

        /**
         * {@link String}, one of an enumeration in the API's spelling ({@code powering_up}); equal
         * however it is spelled: case and underscores do not count ({@code PoweringUp}). Searched
         * by free text. May have wildcards.
         */
        WORD,

        /** {@link Number}; all six operators. */
        NUMBER,

        /**
         * {@link java.time.Duration}; all six operators, with numbers of s or with a unit ({@code
         * 90m}, {@code 5d}).
         */
        SPAN,

        /** {@link java.time.Instant}; {@code = < >} and the like. */
        TIME,

        /** {@link Boolean}. */
        FLAG,

        /** {@link String}, an identity: equal or not, case does not count; no free text. */
        ID
    }
}
