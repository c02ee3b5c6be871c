package org.stillwater.dal.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A server process seen from outside, through {@code /proc}: the server is a daemon, not our child,
 * so that a Ctrl-C meant for the engine does not reach it, and it may have been started by an
 * engine that is gone. Immutable.
 *
 * @param pid process id of the postmaster
 */
record ServerProcess(long pid) {

    private static final Path PROC = Path.of("/proc");
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final Duration SIGNAL_LIMIT = Duration.ofSeconds(10);
    private static final Duration KILL_WAIT = Duration.ofSeconds(10);

    /** The arguments it was started with; empty when it is gone, a zombie included. */
    List<String> arguments() {
        return arguments(PROC.resolve(Long.toString(pid)));
    }

    boolean alive() {
        return !arguments().isEmpty();
    }

    /**
     * Whether this is the postmaster of {@code cluster}. A process id alone is no proof: after a
     * reboot, or in a new container, the id of a stale pid file belongs to another process, often
     * to this program.
     */
    boolean serves(Path cluster) {
        List<String> arguments = arguments();
        return arguments.size() > 2
                && arguments.getFirst().endsWith("/postgres")
                && arguments.contains(cluster.toString());
    }

    /**
     * Fast shutdown, then immediate, then kill; false only if even a killed process does not go
     * away.
     */
    boolean stop(Duration limit) throws IOException {
        signal("INT");
        if (awaitGone(limit)) {
            return true;
        }
        signal("QUIT");
        if (awaitGone(KILL_WAIT)) {
            return true;
        }
        signal("KILL");
        return awaitGone(KILL_WAIT);
    }

    private void signal(String name) throws IOException {
        Command.run(
                List.of("/bin/sh", "-c", "kill -" + name + " \"$1\"", "kill", Long.toString(pid)),
                SIGNAL_LIMIT);
    }

    private boolean awaitGone(Duration limit) throws IOException {
        return await(limit, () -> !alive());
    }

    /**
     * Waits for the children of a postmaster that died without them, then kills them: while one
     * lives, a new server must not touch the cluster.
     *
     * @param clusterName PostgreSQL's {@code cluster_name}, which stands in the title of each child
     */
    static boolean awaitNoOrphans(String clusterName, Duration limit) throws IOException {
        String title = "postgres: " + clusterName + ": ";
        if (await(limit, () -> orphans(title).isEmpty())) {
            return true;
        }
        for (ServerProcess orphan : orphans(title)) {
            orphan.signal("KILL");
        }
        return await(KILL_WAIT, () -> orphans(title).isEmpty());
    }

    private static List<ServerProcess> orphans(String title) throws IOException {
        List<ServerProcess> found = new ArrayList<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[1-9]*")) {
            for (Path process : processes) {
                List<String> arguments = arguments(process);
                if (!arguments.isEmpty() && arguments.getFirst().startsWith(title)) {
                    found.add(new ServerProcess(Long.parseLong(process.getFileName().toString())));
                }
            }
        }
        return found;
    }

    private static List<String> arguments(Path process) {
        try {
            String line = Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
            return line.isEmpty() ? List.of() : Arrays.asList(utf8(line).split("\0"));
        } catch (IOException _) {
            return List.of();
        }
    }

    private static String utf8(String latin1) {
        return new String(latin1.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    static boolean await(Duration limit, Condition condition) throws IOException {
        for (long left = limit.dividedBy(PAUSE); left >= 0; left--) {
            if (condition.holds()) {
                return true;
            }
            try {
                Thread.sleep(PAUSE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while waiting for a server process", e);
            }
        }
        return false;
    }

    @FunctionalInterface
    interface Condition {
        boolean holds() throws IOException;
    }
}
