package org.stillwater.core.analysis;

/** Syntax of IP address literals (RFC 3986 §3.2.2, RFC 4291 §2.2), without any look-up. */
final class IpAddresses {

    private static final int IPV6_GROUPS = 8;

    private IpAddresses() {}

    static boolean isIpv4(String text) {
        String[] parts = text.split("\\.", -1);
        if (parts.length != 4) {
            return false;
        }
        for (String part : parts) {
            if (part.isEmpty()
                    || part.length() > 3
                    || !part.chars().allMatch(IpAddresses::isDigit)) {
                return false;
            }
            if (Integer.parseInt(part) > 255) {
                return false;
            }
        }
        return true;
    }

    static boolean isIpv6(String text) {
        int gap = text.indexOf("::");
        if (gap < 0) {
            return groups(text) == IPV6_GROUPS;
        }
        if (text.indexOf("::", gap + 1) >= 0) {
            return false;
        }
        String before = text.substring(0, gap);
        String after = text.substring(gap + 2);
        int left = before.isEmpty() ? 0 : groups(before);
        int right = after.isEmpty() ? 0 : groups(after);
        // An IPv4 tail is only allowed at the very end.
        return left >= 0 && right >= 0 && !before.contains(".") && left + right < IPV6_GROUPS;
    }

    /** Number of 16-bit groups, an IPv4 tail counting as two; −1 if malformed. */
    private static int groups(String text) {
        String[] parts = text.split(":", -1);
        int groups = 0;
        for (int i = 0; i < parts.length; i++) {
            if (i == parts.length - 1 && isIpv4(parts[i])) {
                groups += 2;
            } else if (!parts[i].isEmpty()
                    && parts[i].length() <= 4
                    && parts[i].chars().allMatch(IpAddresses::isHex)) {
                groups++;
            } else {
                return -1;
            }
        }
        return groups;
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isHex(int c) {
        return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    }
}
