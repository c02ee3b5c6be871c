package org.stillwater.server.api.vm;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.server.api.rows.FilterText;
import org.stillwater.server.api.rows.Wildcard;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Ids;

/**
 * Filter of guests by address. A guest matches if one of its addresses matches one of the words:
 * the same address in any spelling (RFC 4291, 2.2), a network with the length of its prefix, or a
 * text with wildcards. No name is looked up. Immutable.
 */
final class AddressFilter {

    private static final int BITS = 8;
    private static final int DOTS = 3;

    private final List<Word> words;

    private AddressFilter(List<Word> words) {
        this.words = List.copyOf(words);
    }

    private sealed interface Word {

        /**
         * Whether a guest's address matches.
         *
         * @param text the address as the guest's agent wrote it
         * @param address the same, null if it is no address
         */
        boolean matches(String text, byte @Nullable [] address);
    }

    private static final class Network implements Word {

        private final byte[] prefix;
        private final int length;

        Network(byte[] prefix, int length) {
            this.prefix = prefix;
            this.length = length;
        }

        @Override
        public boolean matches(String text, byte @Nullable [] address) {
            if (address == null || address.length != prefix.length) {
                return false;
            }
            int whole = length / BITS;
            int rest = length % BITS;
            return Arrays.mismatch(address, 0, whole, prefix, 0, whole) < 0
                    && (rest == 0
                            || (address[whole] & 0xff) >>> (BITS - rest)
                                    == (prefix[whole] & 0xff) >>> (BITS - rest));
        }
    }

    private record Pattern(Wildcard wildcard) implements Word {

        @Override
        public boolean matches(String text, byte @Nullable [] address) {
            return wildcard.matches(text);
        }
    }

    /**
     * @param parameter of the request, for messages
     * @param text words by commas
     */
    static AddressFilter of(String parameter, String text) {
        List<Word> words = new ArrayList<>();
        for (String word : FilterText.words(text)) {
            words.add(word(parameter, word));
        }
        return new AddressFilter(words);
    }

    private static Word word(String parameter, String word) {
        if (word.indexOf('*') >= 0 || word.indexOf('?') >= 0) {
            return new Pattern(new Wildcard(parameter, word));
        }
        int slash = word.indexOf('/');
        byte[] address = address(slash < 0 ? word : word.substring(0, slash));
        if (address != null) {
            int most = address.length * BITS;
            int length = slash < 0 ? most : length(word.substring(slash + 1));
            if (length >= 0 && length <= most) {
                return new Network(address, length);
            }
        }
        throw ApiException.badRequest(
                "%s has addresses such as 10.0.3.7, networks such as 10.0.3.0/24 and parts such as 10.0.3.*, not \"%s\""
                        .formatted(parameter, Ids.shortened(word)));
    }

    private static int length(String text) {
        try {
            return text.startsWith("+") ? -1 : Integer.parseInt(text);
        } catch (NumberFormatException _) {
            return -1;
        }
    }

    private static byte @Nullable [] address(String text) {
        // An address of fewer parts, such as 10.3, has zeros inside, which is rarely intended.
        if (text.indexOf(':') < 0 && text.chars().filter(c -> c == '.').count() != DOTS) {
            return null;
        }
        try {
            return InetAddress.ofLiteral(text).getAddress();
        } catch (IllegalArgumentException _) {
            return null;
        }
    }

    /**
     * Whether one of the addresses matches.
     *
     * @param addresses with blanks between them; null if none is known
     */
    boolean matches(@Nullable String addresses) {
        if (addresses == null || addresses.isEmpty()) {
            return false;
        }
        for (String each : addresses.split(" ")) {
            byte[] address = address(each);
            for (int i = 0; i < words.size(); i++) {
                if (words.get(i).matches(each, address)) {
                    return true;
                }
            }
        }
        return false;
    }
}
