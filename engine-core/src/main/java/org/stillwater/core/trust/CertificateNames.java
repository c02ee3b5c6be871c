package org.stillwater.core.trust;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The names in a certificate, and whether one of them is the address of a host (RFC 9525, RFC 5280
 * §4.2.1.6). Certificates that older oVirt engines signed for hosts have no alternative names, only
 * the host's address as common name; so the common name counts where there is no alternative name
 * at all, and nowhere else. Compared without any look-up.
 *
 * @param dnsNames DNS names of the subject alternative name
 * @param addresses IP addresses of the subject alternative name, as text
 * @param commonName CN of the subject; null if it has none, or more than one
 */
public record CertificateNames(
        List<String> dnsNames, List<String> addresses, @Nullable String commonName) {

    private static final String WILDCARD = "*.";
    private static final int LONGEST_NAME = 253;
    private static final int MOST_SHOWN = 5;

    /** One label or more, of letters, digits, hyphens and, as hosts have them, underscores. */
    private static final Pattern DNS_NAME =
            Pattern.compile("[a-z0-9_-]{1,63}(\\.[a-z0-9_-]{1,63})*");

    private static final Pattern ALL_NUMERIC = Pattern.compile("[0-9.]+");
    private static final Pattern GROUP = Pattern.compile("[0-9A-Fa-f]{1,4}");
    private static final Pattern BYTE = Pattern.compile("[0-9]{1,3}");
    private static final int IPV6_GROUPS = 8;

    public CertificateNames {
        dnsNames = List.copyOf(dnsNames);
        addresses = List.copyOf(addresses);
    }

    /**
     * Whether the certificate is for this address.
     *
     * @param address DNS name or IP address, as in the definition of a host; a final dot, brackets
     *     and the zone of an IPv6 address do not count
     */
    public boolean match(String address) {
        int[] literal = literal(address);
        if (literal != null) {
            return addresses.stream().anyMatch(each -> Arrays.equals(literal, literal(each)))
                    || (isCommonNameUsed()
                            && commonName != null
                            && Arrays.equals(literal, literal(commonName)));
        }
        String name = canonical(address);
        if (name == null || ALL_NUMERIC.matcher(name).matches()) {
            return false;
        }
        if (isCommonNameUsed()) {
            return commonName != null && name.equals(canonical(commonName));
        }
        return dnsNames.stream().anyMatch(each -> matches(each, name));
    }

    private boolean isCommonNameUsed() {
        return dnsNames.isEmpty() && addresses.isEmpty();
    }

    /** A wildcard is the whole first label and stands for one label; two more follow at least. */
    private static boolean matches(String pattern, String name) {
        if (!pattern.startsWith(WILDCARD)) {
            return name.equals(canonical(pattern));
        }
        String parent = canonical(pattern.substring(WILDCARD.length()));
        int dot = name.indexOf('.');
        return parent != null
                && parent.indexOf('.') > 0
                && dot > 0
                && name.substring(dot + 1).equals(parent);
    }

    /**
     * A DNS name in lower case without its final dot; null if it is none. International names are
     * written as A-labels (RFC 5890), as certificates have them and as the JDK looks them up.
     */
    private static @Nullable String canonical(String text) {
        String plain = text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
        if (plain.isEmpty() || plain.length() > LONGEST_NAME) {
            return null;
        }
        String lower = plain.toLowerCase(Locale.ROOT);
        return DNS_NAME.matcher(lower).matches() ? lower : null;
    }

    /**
     * The eight groups of an IPv6 address, an IPv4 address as IPv6 maps it (RFC 4291 §2.5.5.2);
     * null if the text is no address. Nothing is looked up.
     */
    private static int @Nullable [] literal(String text) {
        String plain = text;
        if (plain.startsWith("[") && plain.endsWith("]")) {
            plain = plain.substring(1, plain.length() - 1);
        }
        int zone = plain.indexOf('%');
        if (zone >= 0 && plain.indexOf(':') >= 0) {
            plain = plain.substring(0, zone);
        }
        if (plain.indexOf(':') < 0) {
            int[] tail = ipv4(plain);
            return tail == null ? null : new int[] {0, 0, 0, 0, 0, 0xffff, tail[0], tail[1]};
        }
        int gap = plain.indexOf("::");
        if (gap < 0) {
            int[] all = groups(plain);
            return all != null && all.length == IPV6_GROUPS ? all : null;
        }
        int[] left = groups(plain.substring(0, gap));
        int[] right = groups(plain.substring(gap + 2));
        boolean ipv4Inside = plain.substring(0, gap).indexOf('.') >= 0;
        if (left == null
                || right == null
                || ipv4Inside
                || left.length + right.length >= IPV6_GROUPS) {
            return null;
        }
        int[] all = Arrays.copyOf(left, IPV6_GROUPS);
        System.arraycopy(right, 0, all, IPV6_GROUPS - right.length, right.length);
        return all;
    }

    /** Groups between colons; the last may be an IPv4 address and counts as two. */
    private static int @Nullable [] groups(String text) {
        if (text.isEmpty()) {
            return new int[0];
        }
        String[] parts = text.split(":", -1);
        if (parts.length > IPV6_GROUPS) {
            return null;
        }
        int[] groups = new int[parts.length + 1];
        int count = 0;
        for (int i = 0; i < parts.length; i++) {
            int[] tail = i == parts.length - 1 ? ipv4(parts[i]) : null;
            if (tail != null) {
                groups[count++] = tail[0];
                groups[count++] = tail[1];
            } else if (GROUP.matcher(parts[i]).matches()) {
                groups[count++] = Integer.parseInt(parts[i], 16);
            } else {
                return null;
            }
        }
        return Arrays.copyOf(groups, count);
    }

    private static int @Nullable [] ipv4(String text) {
        String[] parts = text.split("\\.", -1);
        if (parts.length != 4) {
            return null;
        }
        int address = 0;
        for (String part : parts) {
            if (!BYTE.matcher(part).matches() || Integer.parseInt(part) > 255) {
                return null;
            }
            address = address << 8 | Integer.parseInt(part);
        }
        return new int[] {address >>> 16, address & 0xffff};
    }

    /** The names for people: at most {@value #MOST_SHOWN} of them, without control characters. */
    public String describe() {
        List<String> all = new ArrayList<>(dnsNames);
        all.addAll(addresses);
        if (all.isEmpty() && commonName != null) {
            all.add(commonName);
        }
        if (all.isEmpty()) {
            return "nothing";
        }
        List<String> shown =
                all.stream().limit(MOST_SHOWN).map(HostCertificate::presentable).toList();
        int more = all.size() - shown.size();
        return String.join(", ", shown) + (more == 0 ? "" : " and " + more + " more");
    }
}
