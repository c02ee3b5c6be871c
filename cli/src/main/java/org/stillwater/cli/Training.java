package org.stillwater.cli;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Runs usual commands once against a server in the same process, so that the JVM can record which
 * classes and methods they need (JEP 483, JEP 515). The launcher does this once after a build; no
 * command uses it.
 */
final class Training {

    private static final String ITEM =
            "{\"id\":\"1\",\"name\":\"a\",\"status\":\"up\",\"hostName\":\"h\",\"guestIps\":[\"::1\"],"
                + "\"statistics\":{\"usageCpuPercent\":1.5},\"at\":\"t\",\"severity\":\"normal\","
                + "\"event\":\"E\",\"text\":\"t\",\"kind\":\"run\",\"state\":\"succeeded\","
                + "\"endedAt\":\"t\",\"progress\":100}";

    private static final String LIST =
            "{\"items\":[" + ITEM + "],\"total\":1,\"next\":null,\"revision\":1}";

    private Training() {}

    /** Runs the commands; prints nothing. */
    public static void main(String[] arguments) throws IOException {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    String path = exchange.getRequestURI().getPath();
                    boolean one = path.matches("/api/v1/(vms|hosts|operations)/[^/]+.*");
                    boolean stream = path.endsWith("/events") && one;
                    String body = stream ? "event: end\ndata: " + ITEM + "\n\n" : one ? ITEM : LIST;
                    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(200, bytes.length);
                    exchange.getResponseBody().write(bytes);
                    exchange.close();
                });
        server.start();
        try {
            String url = "http://localhost:" + server.getAddress().getPort();
            PrintWriter nothing = new PrintWriter(Writer.nullWriter());
            CommandEnvironment here =
                    new CommandEnvironment(nothing, nothing, Map.of(), url, null, false);
            for (String command :
                    new String[] {
                        "--help",
                        "vms list",
                        "vms list -o csv",
                        "vms show a -o json",
                        "vms start a",
                        "hosts list",
                        "events list",
                        "operations list",
                        "vms list --wrong"
                    }) {
                Client.run(here, command.split(" "));
            }
        } finally {
            server.stop(0);
        }
    }
}
