package org.stillwater.server.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * The reference page lists the requests of clients, answered and refused ones. With {@code
 * -Dstillwater.docs=write} it is written instead.
 */
class ClientRequestsPageTest {

    private static final Path PAGE = Path.of("..", "docs", "reference", "client-requests.md");

    private static final String HEAD =
            """
            # Requests of oVirt's clients

            Programs that cannot be installed for a test are replayed: `OvirtClientsIT` sends the requests below to a running
            engine, in this order, and checks status, media type and the elements that the program reads. A request that the
            engine refuses, although oVirt carries it out, says so with the reason. The recordings are
            `engine-server/src/test/resources/clients/*.requests`; this page is generated from them and checked by a test.
            The Python SDK, the Java SDK and Ansible run as programs: `PythonSdkIT`, `JavaSdkIT`, `AnsibleIT`.
            """;

    @Test
    void thePageListsTheReplayedRequests() throws Exception {
        String page = render();
        if ("write".equals(System.getProperty("stillwater.docs"))) {
            Files.writeString(PAGE, page);
        }
        assertThat(Files.readString(PAGE)).isEqualTo(page);
    }

    private static String render() {
        StringBuilder page = new StringBuilder(HEAD);
        for (String client : Recording.CLIENTS) {
            Recording recording = Recording.of(client);
            long departures =
                    recording.exchanges().stream().filter(each -> each.departure() != null).count();
            page.append("\n## ").append(client).append("\n\n").append(recording.about());
            page.append(
                    "\n\n%d requests; %d are answered as oVirt does, %d are refused.\n\n"
                            .formatted(
                                    recording.exchanges().size(),
                                    recording.exchanges().size() - departures,
                                    departures));
            page.append("| what for | request | answer |\n|---|---|---|\n");
            for (Exchange each : recording.exchanges()) {
                page.append(
                        "| %s | `%s %s` | %s |\n"
                                .formatted(
                                        each.name(),
                                        each.method(),
                                        shown(each.path()),
                                        each.departure() == null
                                                ? each.statuses()
                                                : each.statuses()
                                                        + ", refused: "
                                                        + each.departure()));
            }
        }
        return page.toString();
    }

    private static String shown(String path) {
        String plain = path.replace("{{", "{").replace("}}", "}");
        return plain.startsWith("/ovirt-engine/api/")
                ? plain.substring("/ovirt-engine/api".length())
                : plain;
    }
}
