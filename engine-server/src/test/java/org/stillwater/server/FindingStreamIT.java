package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.server.RunningEngine.Stream;
import tools.jackson.databind.JsonNode;

/** Findings on the event stream of a running engine; runs of the disk benchmark make one. */
@Timeout(180)
class FindingStreamIT {

    private static final int USUAL = 400;
    private static final int SLOW = 250;

    @TempDir Path folder;
    private final Random random = new Random(7);
    private final Instant first = Instant.now().minus(Duration.ofDays(20));
    private RunningEngine engine;
    private String host;
    private int runs;

    @Test
    @DisplayName("open findings come first, then each that begins, changes or ends")
    void findings() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatedFleet fleet = SimulatedFleet.start(folder, WorldSettings.of(44, 1, 1));
                RunningEngine running =
                        RunningEngine.start(
                                database,
                                fleet.engineArguments(),
                                "--stillwater.stream.heart-beat=100ms")) {
            engine = running;
            engine.awaitHostsUp(1);
            host = engine.monitoring().fleet().hosts().getFirst().state().definition().id() + "";
            post(20, USUAL);
            String id;
            try (Stream stream = engine.stream("?entity=finding")) {
                assertThat(stream.next("snapshot-end")).isNotNull();
                post(10, SLOW);

                JsonNode begun = next(stream);
                id = begun.path("id").asString();
                assertThat(begun.path("state").asString()).isEqualTo("open");
                assertThat(begun.path("hostId").asString()).isEqualTo(host);

                String path = "/api/v1/findings/" + id;
                assertThat(
                                engine.post(path + "/acknowledge", "{\"comment\": \"ours\"}")
                                        .statusCode())
                        .isEqualTo(200);
                JsonNode changed = next(stream);
                while (changed.path("acknowledged").isNull()) {
                    changed = next(stream); // its level became clearer meanwhile
                }
                assertThat(changed.path("id").asString()).isEqualTo(id);
                assertThat(changed.path("acknowledged").path("comment").asString())
                        .isEqualTo("ours");
                JsonNode shown = engine.json(path).path("finding");
                assertThat(changed.propertyNames())
                        .as("the members of REST")
                        .containsExactlyElementsOf(shown.propertyNames());
            }
            try (Stream later = engine.stream("?entity=finding")) {
                JsonNode open = next(later);
                assertThat(open.path("id").asString()).isEqualTo(id);
                assertThat(open.path("state").asString()).isEqualTo("open");

                post(16, USUAL);

                JsonNode ended = next(later);
                while (ended.path("state").asString().equals("open")) {
                    ended = next(later);
                }
                assertThat(ended.path("id").asString()).isEqualTo(id);
                assertThat(ended.path("ending").asString()).isEqualTo("recovered");
            }
        }
    }

    private static JsonNode next(Stream stream) throws Exception {
        RunningEngine.Event event = stream.next("finding");
        assertThat(event).isNotNull();
        return event.json().path("finding");
    }

    /** Posts runs of one cell, six hours apart. */
    private void post(int count, int speed) throws Exception {
        for (int i = 0; i < count; i++) {
            long bytes = Math.round(speed * Math.exp(0.04 * random.nextGaussian()) * 5_000_000);
            String run =
                    """
                    {"run": "%s", "host": "%s", "startedAt": "%s", "engine": "direct",
                     "machine": "host", "kernel": "Linux 6.1", "direct": true,
                     "fileBytes": 1073741824, "seconds": 5,
                     "results": [{"operation": "random-read", "recordBytes": 65536, "bytes": %d,
                                  "millis": 5000, "megabytesPerSecond": %s}]}
                    """
                            .formatted(
                                    UUID.randomUUID(),
                                    host,
                                    first.plus(Duration.ofHours(6L * runs++)),
                                    bytes,
                                    bytes / 5e6);
            var answer = engine.post("/api/v1/benchmarks", run);
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
        }
    }
}
