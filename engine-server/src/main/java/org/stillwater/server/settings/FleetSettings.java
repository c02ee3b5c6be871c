package org.stillwater.server.settings;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;

/**
 * Hosts that the engine watches, and the folder of its files.
 *
 * @param dataFolder folder of all files that the engine writes; created when missing
 * @param hosts hosts to watch from the start; a host of the same name that is already known gets
 *     the address and port given here
 * @param hostsFile more hosts, one per line: {@code name,address[,port[,UUID]]}; empty lines and
 *     lines that begin with # are skipped
 */
@ConfigurationProperties("stillwater")
public record FleetSettings(
        @DefaultValue("data") Path dataFolder,
        @DefaultValue List<Host> hosts,
        @Nullable Path hostsFile) {

    private static final int LARGEST_PORT = 65_535;
    private static final int LONGEST_NAME = 255;

    public FleetSettings {
        hosts = List.copyOf(hosts);
        Set<String> names = new HashSet<>();
        for (Host host : hosts) {
            Checks.require(
                    names.add(host.name()), "hosts", "hosts of different names", host.name());
        }
    }

    /**
     * One host.
     *
     * @param name name in this engine, unique, 1 to 255 characters
     * @param address DNS name or IP address of the host's management interface
     * @param port TCP port of the host's agent
     */
    public record Host(String name, String address, @DefaultValue("54321") int port) {

        public Host {
            requireText("name", name);
            requireText("address", address);
            Checks.number("hosts[].port", port, 1, LARGEST_PORT);
        }

        /** The host, with this id if it is a new one. */
        public HostDefinition definition(HostId id) {
            return new HostDefinition(id, name, address, port);
        }

        @SuppressWarnings("NullAway") // binding hands over null for a value that is missing
        private static void requireText(String what, String value) {
            boolean fine = value != null && !value.isBlank() && value.length() <= LONGEST_NAME;
            Checks.require(
                    fine,
                    "hosts[]." + what,
                    "1 to 255 characters",
                    value == null ? "missing" : "\"" + value + "\"");
        }
    }
}
