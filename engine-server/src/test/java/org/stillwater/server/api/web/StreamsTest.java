package org.stillwater.server.api.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.monitoring.worker.WorkerSettings;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.server.api.web.Streams.Owner;
import org.stillwater.server.settings.StreamSettings;
import org.stillwater.testkit.VirtualClock;

class StreamsTest {

    private static final Caller READER = Caller.withRole("ada@internal", Role.READER);

    private final Streams streams =
            new Streams(
                    new Binder(
                                    new MapConfigurationPropertySource(
                                            Map.of(
                                                    "stillwater.stream.max-subscribers", "6",
                                                    "stillwater.stream.max-per-user", "2",
                                                    "stillwater.stream.max-per-address", "4")))
                            .bindOrCreate("stillwater.stream", StreamSettings.class),
                    new VirtualClock(),
                    new Workers(
                            WorkerSettings.DEFAULT, new VirtualClock(), new SimpleMeterRegistry()),
                    new SimpleMeterRegistry());

    private Streams.Place enter(String user, String network) {
        return streams.enter(() -> READER, new Owner(user, network));
    }

    private void assertRefused(String user, String network, int status, String words) {
        assertThatThrownBy(() -> enter(user, network))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> {
                            assertThat(e.status().value()).isEqualTo(status);
                            assertThat(e.getMessage()).contains(words);
                        });
    }

    @Test
    void oneUserTakesOnlySoMany() {
        Streams.Place first = enter("ada", "a");
        enter("ada", "b");
        assertRefused("ada", "c", 429, "stillwater.stream.max-per-user");
        enter("eve", "a");
        first.close();
        first.close();
        enter("ada", "c");
        assertRefused("ada", "c", 429, "User ada already has 2 streams");
    }

    @Test
    void oneAddressTakesOnlySoMany() {
        for (int i = 0; i < 4; i++) {
            enter(i % 2 == 0 ? null : "user " + i, "a");
        }
        assertRefused(null, "a", 429, "stillwater.stream.max-per-address");
        assertRefused("ada", "a", 429, "stillwater.stream.max-per-address");
        enter("ada", "b");
        enter(null, "b");
        assertRefused("eve", "c", 503, "stillwater.stream.max-subscribers");
    }
}
