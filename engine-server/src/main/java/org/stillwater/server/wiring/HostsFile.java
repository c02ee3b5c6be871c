package org.stillwater.server.wiring;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.FleetSettings.Host;

/**
 * The file of hosts: one per line, {@code name,address[,port[,UUID]]}. The UUID is the one that a
 * host of a new name gets; relays can be configured with it before the engine knows the host.
 */
public final class HostsFile {

    private static final String FORM = "name,address[,port[,UUID]]";

    private HostsFile() {}

    /**
     * The hosts that settings name, those in the file of hosts included.
     *
     * @throws StartRefused for a wrong line of the file, and for a host that both name: its address
     *     would depend on the order
     */
    public static List<HostDefinition> hosts(FleetSettings fleet) {
        List<HostDefinition> wanted = new ArrayList<>();
        fleet.hosts().forEach(host -> wanted.add(host.definition(new HostId(UUID.randomUUID()))));
        Path file = fleet.hostsFile();
        if (file != null) {
            Set<String> names =
                    wanted.stream().map(HostDefinition::name).collect(Collectors.toSet());
            for (HostDefinition host : read(file)) {
                if (names.contains(host.name())) {
                    throw new StartRefused(
                            "The host %s is in stillwater.hosts and in the file of hosts %s."
                                    .formatted(host.name(), file.toAbsolutePath()),
                            "Name it in one of them.",
                            null);
                }
                wanted.add(host);
            }
        }
        return wanted;
    }

    /**
     * Reads it whole; one wrong line refuses the file, so that no host is left out unnoticed.
     *
     * @throws StartRefused with the line that is wrong
     */
    static List<HostDefinition> read(Path file) {
        List<HostDefinition> hosts = new ArrayList<>();
        Set<String> names = new HashSet<>();
        Set<HostId> ids = new HashSet<>();
        int number = 0;
        for (String line : lines(file)) {
            number++;
            String text = withoutMark(number, line).strip();
            if (!text.isEmpty() && !text.startsWith("#")) {
                HostDefinition host = host(file, number, text);
                if (!names.add(host.name())) {
                    throw refused(file, number, "names the host " + host.name() + " again");
                }
                if (!ids.add(host.id())) {
                    throw refused(file, number, "has the UUID of an earlier host");
                }
                hosts.add(host);
            }
        }
        return hosts;
    }

    private static HostDefinition host(Path file, int number, String text) {
        String[] parts = text.split(",", -1);
        if (parts.length < 2 || parts.length > 4) {
            throw refused(file, number, "is not " + FORM);
        }
        try {
            int port =
                    parts.length == 2
                            ? HostDefinition.DEFAULT_PORT
                            : Integer.parseInt(parts[2].strip());
            Host host = new Host(parts[0].strip(), parts[1].strip(), port);
            return host.definition(
                    parts.length < 4
                            ? new HostId(UUID.randomUUID())
                            : HostId.parse(parts[3].strip()));
        } catch (NumberFormatException _) {
            throw refused(file, number, "has a port that is no number");
        } catch (IllegalArgumentException e) {
            throw refused(file, number, "is refused: " + e.getMessage());
        }
    }

    /** Some editors write a mark of the encoding before the first name. */
    private static String withoutMark(int number, String line) {
        return number == 1 && line.startsWith("\uFEFF") ? line.substring(1) : line;
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (NoSuchFileException e) {
            throw new StartRefused(
                    "The file of hosts " + file.toAbsolutePath() + " does not exist.",
                    "Make it, or correct stillwater.hosts-file.",
                    e);
        } catch (MalformedInputException e) {
            throw new StartRefused(
                    "The file of hosts " + file.toAbsolutePath() + " is not UTF-8 text.",
                    "Save it as UTF-8.",
                    e);
        } catch (IOException e) {
            throw new StartRefused(
                    "The file of hosts " + file.toAbsolutePath() + " cannot be read: " + e,
                    "Let the engine's user read it, or correct stillwater.hosts-file.",
                    e);
        }
    }

    private static StartRefused refused(Path file, int number, String what) {
        return new StartRefused(
                "Line %d of the file of hosts %s %s."
                        .formatted(number, file.toAbsolutePath(), what),
                "Correct the line: " + FORM + ".",
                null);
    }
}
