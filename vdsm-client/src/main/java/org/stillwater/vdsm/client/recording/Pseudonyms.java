package org.stillwater.vdsm.client.recording;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.StringTokenizer;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Replaces identifying texts: the same text always by the same pseudonym, of the same shape.
 * Identities become identities, MAC and IP addresses such addresses; numbers and the words of the
 * protocol stay; every other text becomes {@code text-7}. Pseudonyms are numbered in the order of
 * their first use, so nothing leads back from them. Not thread-safe.
 */
final class Pseudonyms {

    /** Longer texts are remembered by a digest, so that memory follows their number. */
    private static final int LONGEST_REMEMBERED = 64;

    private static final Pattern NUMBER =
            Pattern.compile("[+-]?(0x[0-9a-fA-F]{1,16}|[0-9]{1,20}(\\.[0-9]{1,20})?)");

    /** A list of whole numbers, such as that of processors. */
    private static final Pattern NUMBERS = Pattern.compile("[0-9][0-9 ,-]*");

    private static final Pattern ID =
            Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
    private static final Pattern MAC = Pattern.compile("[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}");
    private static final Pattern IPV4 =
            Pattern.compile("([0-9]{1,3}(?:\\.[0-9]{1,3}){3})((?:/[0-9]{1,2})?)");
    private static final Pattern IPV6 =
            Pattern.compile(
                    "([0-9a-fA-F:]*:[0-9a-fA-F:]*:[0-9a-fA-F:.]*)((?:%\\w+)?(?:/[0-9]{1,3})?)");
    private static final Pattern DISK = Pattern.compile("(vd|sd|hd|xvd|sr)[a-z0-9]{1,2}");

    private final int most;
    private final Map<String, String> known = new HashMap<>();
    private final Map<String, Integer> counts = new HashMap<>();

    /**
     * No text was replaced yet.
     *
     * @param most texts that are remembered
     */
    Pseudonyms(int most) {
        this.most = most;
    }

    /** Whether the table is full, so that no further text can be replaced consistently. */
    boolean isFull() {
        return known.size() >= most;
    }

    /** Gives a name its pseudonym, by which it is known wherever it appears. */
    String name(String kind, String original) {
        return original.isEmpty() ? "" : numbered(original, kind);
    }

    /** The pseudonym of an identity. */
    UUID id(UUID original) {
        return UUID.fromString(id(original.toString()));
    }

    /** A text that is a name or comes from a guest, by its position. */
    String said(String text) {
        if (text.isEmpty()) {
            return text;
        }
        String shaped = shaped(text);
        return shaped == null ? numbered(text, "text") : shaped;
    }

    /** A text that may be a word of the protocol or a number. */
    String text(String text) {
        boolean kept =
                text.isEmpty()
                        || ProtocolVocabulary.isKnown(text)
                        || NUMBERS.matcher(text).matches()
                        || (text.length() <= LONGEST_REMEMBERED
                                && (NUMBER.matcher(text).matches()
                                        || DISK.matcher(text).matches()));
        return kept ? text : said(text);
    }

    /** Identities and addresses, also several in one text; null for other texts. */
    private @Nullable String shaped(String text) {
        if (text.length() <= LONGEST_REMEMBERED) {
            String one = one(text);
            if (one != null) {
                return one;
            }
        }
        return text.indexOf(' ') > 0 || text.indexOf(',') > 0 ? several(text) : null;
    }

    private @Nullable String one(String text) {
        if (ID.matcher(text).matches()) {
            return id(text);
        }
        if (MAC.matcher(text).matches()) {
            return mac(text);
        }
        return address(text);
    }

    /** Addresses, separated by blanks or commas; null if one of them is none. */
    private @Nullable String several(String text) {
        StringBuilder out = new StringBuilder(text.length());
        StringTokenizer parts = new StringTokenizer(text, " ,", true);
        while (parts.hasMoreTokens()) {
            String part = parts.nextToken();
            boolean separator = part.equals(" ") || part.equals(",");
            String replaced = separator ? part : address(part);
            if (replaced == null) {
                return null;
            }
            out.append(replaced);
        }
        return out.toString();
    }

    private String id(String text) {
        String key = text.toLowerCase(Locale.ROOT);
        if (key.equals("00000000-0000-0000-0000-000000000000")) {
            return text;
        }
        return known.computeIfAbsent(
                key, _ -> "00000000-0000-4000-8000-%012x".formatted(next("id")));
    }

    private String mac(String text) {
        String key = text.toLowerCase(Locale.ROOT);
        if (key.equals("00:00:00:00:00:00") || key.equals("ff:ff:ff:ff:ff:ff")) {
            return text;
        }
        return known.computeIfAbsent(
                key,
                _ -> {
                    int n = next("mac");
                    return "02:00:%02x:%02x:%02x:%02x"
                            .formatted(n >>> 24, (n >>> 16) & 0xff, (n >>> 8) & 0xff, n & 0xff);
                });
    }

    private @Nullable String address(String text) {
        if (text.length() > LONGEST_REMEMBERED) {
            return null;
        }
        Matcher four = IPV4.matcher(text);
        if (four.matches()) {
            String address = four.group(1);
            boolean special =
                    address.startsWith("127.")
                            || address.startsWith("255.")
                            || address.equals("0.0.0.0");
            return (special ? address : known.computeIfAbsent(address, _ -> ipv4()))
                    + four.group(2);
        }
        Matcher six = IPV6.matcher(text);
        if (six.matches()) {
            String address = six.group(1).toLowerCase(Locale.ROOT);
            boolean special = address.equals("::") || address.equals("::1");
            return (special
                            ? address
                            : known.computeIfAbsent(
                                    address,
                                    _ ->
                                            (address.startsWith("fe80:") ? "fe80::" : "fd00::")
                                                    + Integer.toHexString(next("ipv6"))))
                    + six.group(2).replaceFirst("%\\w+", "%lo");
        }
        return null;
    }

    private String ipv4() {
        int n = next("ipv4");
        return "10.%d.%d.%d".formatted((n >>> 16) & 0xff, (n >>> 8) & 0xff, n & 0xff);
    }

    private String numbered(String text, String kind) {
        return known.computeIfAbsent(remembered(text), _ -> kind + '-' + next(kind));
    }

    private int next(String kind) {
        return counts.merge(kind, 1, Integer::sum);
    }

    private static String remembered(String text) {
        if (text.length() <= LONGEST_REMEMBERED) {
            return '"' + text;
        }
        try {
            return HexFormat.of()
                    .formatHex(
                            MessageDigest.getInstance("SHA-256")
                                    .digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
