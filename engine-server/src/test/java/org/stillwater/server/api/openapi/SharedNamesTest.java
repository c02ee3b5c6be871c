package org.stillwater.server.api.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads by a name that several objects may have document the refusal of such a name. The document
 * is the one that {@code OpenApiIT} compares with the served one.
 */
class SharedNamesTest {

    private static final Path PAGE = Path.of("..", "docs", "reference", "openapi.json");

    @Test
    void aReadByASharedNameDocumentsTheConflict() throws Exception {
        List<String> without = new ArrayList<>();
        List<String> needless = new ArrayList<>();
        List<String> with = new ArrayList<>();
        JsonNode document = JsonMapper.builder().build().readTree(Files.readString(PAGE));
        document.path("paths")
                .forEachEntry((path, item) -> {
                    JsonNode read = item.path("get");
                    boolean documented = read.path("responses").has("409");
                    if (takesSharedName(path, read)) {
                        (documented ? with : without).add(path);
                    } else if (documented) {
                        needless.add(path);
                    }
                });
        assertThat(without).isEmpty();
        assertThat(needless).isEmpty();
        assertThat(with)
                .contains(
                        "/api/v1/vms/{id}",
                        "/api/v1/vms/{id}/statistics",
                        "/api/v1/affinity-groups/{id}",
                        "/api/v1/events",
                        "/api/v1/stream");
    }

    /** The descriptions of parameters say whether they take names. */
    private static boolean takesSharedName(String path, JsonNode read) {
        boolean shared = path.matches("/api/v1/(vms|affinity-groups)/.*");
        for (JsonNode each : read.path("parameters")) {
            boolean named =
                    each.path("description").asString("").matches("(?i).*\\bids? or .*name.*");
            boolean ofVms = each.path("name").asString().equals("vm");
            if (named && (ofVms || (shared && each.path("in").asString().equals("path")))) {
                return true;
            }
        }
        return false;
    }
}
