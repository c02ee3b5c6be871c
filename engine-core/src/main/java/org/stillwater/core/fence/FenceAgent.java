package org.stillwater.core.fence;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Fence agent of a host: a program of the package {@code fence-agents} and its options. The text
 * form leaves secrets out.
 *
 * @param type which program: {@code ipmilan} for {@code fence_ipmilan}
 * @param address DNS name or IP address of the management board
 * @param port its TCP or UDP port, null for the program's own
 * @param user the account that logs in, null for none
 * @param password secret, null for none
 * @param options further options by the program's names, for example {@code lanplus=1}; at most 50
 * @param trouble reason why its password and options are unknown, one clause for people: their key
 *     is missing, for example; null if they are. Such an agent must not be run
 */
public record FenceAgent(
        String type,
        String address,
        @Nullable Integer port,
        @Nullable String user,
        @Nullable String password,
        Map<String, String> options,
        @Nullable String trouble) {

    private static final Pattern TYPE = Pattern.compile("[a-z0-9][a-z0-9_]{0,63}");
    private static final Pattern OPTION = Pattern.compile("[a-z0-9][a-z0-9_-]{0,63}");
    private static final int MOST_OPTIONS = 50;
    private static final int LONGEST = 1_000;

    public FenceAgent {
        if (!TYPE.matcher(type).matches()) {
            throw new Refused(
                    "type",
                    "the type of a fence agent is 1 to 64 lower-case letters, digits and _, for"
                            + " example ipmilan");
        }
        check("address", "address", address);
        if (address.isBlank()) {
            throw new Refused("address", "a fence agent needs an address");
        }
        if (port != null && (port < 1 || port > 65_535)) {
            throw new Refused("port", "a fence agent's port is 1 to 65535, not " + port);
        }
        check("user", "user", user == null ? "" : user);
        check("password", "password", password == null ? "" : password);
        if (options.size() > MOST_OPTIONS) {
            throw new Refused("options", "a fence agent has at most " + MOST_OPTIONS + " options");
        }
        options.forEach((name, value) -> {
            if (!OPTION.matcher(name).matches()) {
                throw new Refused(
                        "options",
                        "the option of a fence agent is 1 to 64 lower-case letters, digits, _ and"
                                + " -");
            }
            check("options", "option " + name, value);
        });
        options = java.util.Collections.unmodifiableMap(new TreeMap<>(options));
    }

    /** An agent of which everything is known. */
    public FenceAgent(
            String type,
            String address,
            @Nullable Integer port,
            @Nullable String user,
            @Nullable String password,
            Map<String, String> options) {
        this(type, address, port, user, password, options, null);
    }

    /** Options are passed line by line, so that a line break would be another option. */
    private static void check(String member, String what, String value) {
        if (value.length() > LONGEST || value.chars().anyMatch(c -> c < ' ' || c == 0x7f)) {
            throw new Refused(
                    member,
                    "the "
                            + what
                            + " of a fence agent has at most "
                            + LONGEST
                            + " characters, without line breaks and control characters");
        }
    }

    /** The refusal of one member of an agent, with a text for people. */
    public static final class Refused extends IllegalArgumentException {

        private static final long serialVersionUID = 1L;

        private final String member;

        /**
         * A refusal.
         *
         * @param member the member's name: {@code type}, {@code address}, {@code port}, {@code
         *     user}, {@code password} or {@code options}
         * @param why one clause, without values
         */
        public Refused(String member, String why) {
            super(why);
            this.member = member;
        }

        /** Name of the refused member. */
        public String member() {
            return member;
        }
    }

    @Override
    public String toString() {
        return "fence_" + type + " at " + address;
    }
}
