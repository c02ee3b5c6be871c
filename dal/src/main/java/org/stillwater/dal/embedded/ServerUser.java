package org.stillwater.dal.embedded;

import static org.stillwater.dal.embedded.EmbeddedPostgresException.Reason.NO_UNPRIVILEGED_ACCOUNT;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The account of the system that a server runs as when the engine runs as root. Only the server
 * uses it: files of an account that several services share, such as {@code nobody}, are open to all
 * of them.
 *
 * @param uid its user id, neither root's nor nobody's
 * @param gid its group id
 */
record ServerUser(int uid, int gid) {

    private static final Logger log = LoggerFactory.getLogger(ServerUser.class);

    /** The user and group id that Linux distributions call nobody. */
    static final int NOBODY = 65_534;

    /**
     * Ids without a name, for systems on which no account can be made: neither distributions nor
     * systemd assign them (systemd, "Users, Groups, UIDs and GIDs": 60578 to 61183 are unused).
     */
    private static final int FIRST_NAMELESS = 60_900;

    private static final int LAST_NAMELESS = 60_999;

    private static final Pattern ID = Pattern.compile("uid=([0-9]+)\\S* gid=([0-9]+).*");
    private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_-]{0,31}");
    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** Runs programs of the system. */
    @FunctionalInterface
    interface Programs {
        Command.Result run(List<String> command) throws IOException;
    }

    /** Whether an account may have this name: letters, digits, _ and -, at most 32 characters. */
    static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /** The account of a name, which is made if there is none. */
    static ServerUser obtain(String name) {
        return obtain(name, command -> Command.run(command, LIMIT));
    }

    static ServerUser obtain(String name, Programs programs) {
        ServerUser known = find(name, programs);
        if (known != null) {
            return known;
        }
        List<String> refusals = new ArrayList<>();
        for (List<String> command : ways(name)) {
            String refusal = refusal(programs, command);
            known = find(name, programs); // another engine may have been faster
            if (known != null) {
                log.info("PostgreSQL runs as the account {} (id {}), made for it", name, known.uid);
                return known;
            }
            refusals.add(command.getFirst() + ": " + refusal);
        }
        ServerUser nameless = nameless(programs);
        log.warn(
                "The account {} cannot be made for PostgreSQL ({}); it runs as the id {}, which has"
                        + " no name. Make the account, or name another one by"
                        + " stillwater.database.embedded.user",
                name,
                String.join("; ", refusals),
                nameless.uid);
        return nameless;
    }

    /** Commands of shadow-utils, and of BusyBox. */
    private static List<List<String>> ways(String name) {
        return List.of(
                List.of(
                        "useradd",
                        "--system",
                        "--user-group",
                        "--no-create-home",
                        "--home-dir",
                        "/nonexistent",
                        "--shell",
                        "/usr/sbin/nologin",
                        name),
                List.of("adduser", "-S", "-D", "-H", "-h", "/nonexistent", name));
    }

    private static String refusal(Programs programs, List<String> command) {
        try {
            Command.Result result = programs.run(command);
            return result.output().isEmpty() ? "exit code " + result.exitCode() : result.output();
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static @Nullable ServerUser find(String name, Programs programs) {
        Matcher ids;
        try {
            Command.Result result = programs.run(List.of("id", name));
            ids = ID.matcher(result.output());
            if (!result.succeeded() || !ids.matches()) {
                return null;
            }
        } catch (IOException _) {
            return null;
        }
        int uid = Integer.parseUnsignedInt(ids.group(1));
        int gid = Integer.parseUnsignedInt(ids.group(2));
        if (uid == 0 || uid == NOBODY) {
            throw new EmbeddedPostgresException(
                    NO_UNPRIVILEGED_ACCOUNT,
                    "PostgreSQL must not run as %s (id %d), which is not its own account. Name another one by stillwater.database.embedded.user."
                            .formatted(name, uid));
        }
        // BusyBox puts an account into the group nogroup; files are not given to that group.
        return new ServerUser(uid, gid == 0 || gid == NOBODY ? uid : gid);
    }

    private static ServerUser nameless(Programs programs) {
        for (int id = FIRST_NAMELESS; id <= LAST_NAMELESS; id++) {
            try {
                if (!programs.run(List.of("id", Integer.toString(id))).succeeded()) {
                    return new ServerUser(id, id);
                }
            } catch (IOException _) {
                return new ServerUser(id, id); // there is no program to ask
            }
        }
        throw new EmbeddedPostgresException(
                NO_UNPRIVILEGED_ACCOUNT,
                "There is no account that PostgreSQL could run as: make one and name it by"
                        + " stillwater.database.embedded.user.");
    }
}
