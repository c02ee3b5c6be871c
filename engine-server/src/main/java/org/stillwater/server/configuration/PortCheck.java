package org.stillwater.server.configuration;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the ports of the engine differ and that no other program has them. Confined to one
 * thread.
 */
final class PortCheck {

    private static final int RELAY_PORT = 54_331;

    /** Linux lets every user take ports from here on. */
    private static final int FIRST_FREE_PORT = 1024;

    private final GivenSettings given;
    private final Consumer<Finding> findings;

    /**
     * A check of these settings, while no engine runs with them.
     *
     * @param findings receives the findings
     */
    PortCheck(GivenSettings given, Consumer<Finding> findings) {
        this.given = given;
        this.findings = findings;
    }

    /** Checks them, each with a bind of its own. */
    void check() {
        String address = given.value("server.address");
        String tls = given.value("stillwater.tls.enabled");
        String port = given.value("server.port");
        int number =
                port != null
                        ? number("server.port", port)
                        : "false".equalsIgnoreCase(tls) ? 8080 : 8443;
        if (number > 0) {
            port("server.port", address == null ? "127.0.0.1" : address, number);
        }
        String embedded = given.value("stillwater.database.embedded.port");
        if (embedded != null && given.value("spring.datasource.url") == null) {
            String name = "stillwater.database.embedded.port";
            further(name, "127.0.0.1", number(name, embedded), number);
        }
        if ("true".equalsIgnoreCase(given.value("stillwater.relay.enabled"))) {
            String name = "stillwater.relay.port";
            String its = given.value(name);
            String at = given.value("stillwater.relay.address");
            further(
                    name,
                    at == null ? "127.0.0.1" : at,
                    its == null ? RELAY_PORT : number(name, its),
                    number);
        }
    }

    /** A port beside that of the engine's server. */
    private void further(String name, String address, int port, int serverPort) {
        if (port > 0 && port == serverPort) {
            findings.accept(
                    Finding.error(given.place(name), name + " and server.port are the same"));
        } else if (port > 0) {
            port(name, address, port);
        }
    }

    /** A port, 0 for any; -1 after a complaint. */
    private int number(String name, String text) {
        try {
            int number = Integer.parseInt(text.strip());
            if (number >= 0 && number <= 65_535) {
                return number;
            }
        } catch (NumberFormatException _) {
            // refused below
        }
        if (name.startsWith("server.")) { // the others have a record that refuses them
            findings.accept(
                    Finding.error(given.place(name), name + " must be 0 to 65535, not " + text));
        }
        return -1;
    }

    static String advice(int port, @Nullable String trouble) {
        return port < FIRST_FREE_PORT && "Permission denied".equals(trouble)
                ? "ports below 1024 need the right CAP_NET_BIND_SERVICE: choose a higher one"
                : "another program has it, or this engine runs already (--running skips this"
                        + " check)";
    }

    private void port(String name, String address, int port) {
        try {
            InetAddress resolved = InetAddress.getByName(address);
            try (ServerSocket socket = new ServerSocket()) {
                socket.setReuseAddress(true);
                socket.bind(new InetSocketAddress(resolved, port));
            }
        } catch (UnknownHostException _) {
            findings.accept(
                    Finding.error(
                            given.place("server.address"),
                            "server.address is " + address + ", which is no address"));
        } catch (IOException e) {
            findings.accept(
                    Finding.error(
                            given.place(name),
                            "port %d of %s cannot be used: %s; %s"
                                    .formatted(
                                            port,
                                            address,
                                            e.getMessage(),
                                            advice(port, e.getMessage()))));
        }
    }
}
