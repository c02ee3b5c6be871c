package org.stillwater.dal.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Content of {@code postmaster.pid}; the lines are those of PostgreSQL's {@code pidfile.h}.
 * Immutable.
 *
 * @param pid process id of the postmaster that wrote the file; the process may be long gone
 * @param port TCP port, 0 while the server has not got that far
 * @param ready the server accepts connections
 */
record PostmasterPid(long pid, int port, boolean ready) {

    private static final int PORT_LINE = 3;
    private static final int STATUS_LINE = 7;

    static Path file(Path cluster) {
        return cluster.resolve("postmaster.pid");
    }

    /** Reads the file; null when there is none or when it names no process. */
    static @Nullable PostmasterPid read(Path cluster) throws IOException {
        List<String> lines;
        try {
            lines = Files.readAllLines(file(cluster));
        } catch (NoSuchFileException _) {
            return null;
        }
        long pid = number(lines, 0);
        if (pid <= 0) {
            return null;
        }
        boolean ready =
                lines.size() > STATUS_LINE && "ready".equals(lines.get(STATUS_LINE).strip());
        return new PostmasterPid(pid, (int) number(lines, PORT_LINE), ready);
    }

    private static long number(List<String> lines, int line) {
        if (lines.size() <= line) {
            return 0;
        }
        try {
            return Long.parseLong(lines.get(line).strip());
        } catch (NumberFormatException _) {
            return 0;
        }
    }
}
