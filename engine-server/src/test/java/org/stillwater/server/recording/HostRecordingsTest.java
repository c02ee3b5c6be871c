package org.stillwater.server.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.util.unit.DataSize;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.HostAdministration;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.server.settings.CycleSettings;
import org.stillwater.server.settings.HostRecordingSettings;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.vdsm.client.VdsmHostConnector;

class HostRecordingsTest {

    private static final Duration AGE = Duration.ofHours(1);

    private final VirtualClock clock = new VirtualClock();
    private final HostRecordings recordings =
            new HostRecordings(
                    new HostRecordingSettings(
                            Duration.ofMinutes(10), DataSize.ofMegabytes(1), 8, 1_000, AGE),
                    Binder.get(new StandardEnvironment())
                            .bindOrCreate("stillwater.cycle", CycleSettings.class),
                    new StaticListableBeanFactory(
                                    Map.of("connector", mock(VdsmHostConnector.class)))
                            .getBeanProvider(VdsmHostConnector.class),
                    mock(FleetReader.class),
                    mock(HostAdministration.class),
                    clock,
                    mock(Workers.class));

    @AfterEach
    void delete() {
        recordings.stop();
    }

    @Test
    void aRecordingEndsInTimeThoughTheClockIsSetBack() throws Exception {
        recordings.start(Set.of(), 60);
        clock.jump(Duration.ofHours(-2));
        clock.advance(Duration.ofSeconds(59));
        assertThat(recordings.status().state()).isEqualTo("running");
        clock.advance(Duration.ofSeconds(1));
        assertThat(recordings.status().state()).isEqualTo("stopped");
        assertThat(recordings.status().ended()).isEqualTo("time");
        clock.advance(AGE);
        assertThat(recordings.status().state()).isEqualTo("stopped");
        clock.advance(Duration.ofSeconds(1));
        assertThat(recordings.status().state()).isEqualTo("none");
    }

    @Test
    void aClockThatIsSetForwardEndsNoRecording() throws Exception {
        recordings.start(Set.of(), 60);
        clock.jump(Duration.ofHours(2));
        assertThat(recordings.status().state()).isEqualTo("running");
    }
}
