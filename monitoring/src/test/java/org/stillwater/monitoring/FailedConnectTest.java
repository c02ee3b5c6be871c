package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;

import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;

/** A connection that cannot be opened because of a bug is opened later. */
class FailedConnectTest {

    private final Lab lab = new Lab();

    @Test
    void aHostIsConnectedAfterAFailedConnection() throws Exception {
        lab.storedHosts(ALPHA);
        lab.connector.fail(new NoClassDefFoundError("gone"));
        lab.started();
        refreshTimePasses(3);
        assertThat(lab.connector.opened()).isEmpty();

        lab.connector.fail(null);
        refreshTimePasses(1);

        assertThat(lab.connector.opened()).containsExactly(ALPHA);
        lab.connect(ALPHA);
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.UP);
        refreshTimePasses(10);
        assertThat(lab.connector.opened()).as("once").containsExactly(ALPHA);
    }

    @Test
    void aHostIsConnectedAfterAChangeOfItsAddressDuringAFailure() throws Exception {
        lab.storedHosts(ALPHA).started();
        lab.connector.fail(new NoClassDefFoundError("gone"));
        var _ =
                Objects.requireNonNull(lab.engine.monitor(ALPHA))
                        .redefine(new HostDefinition(ALPHA, "host1", "192.0.2.99", 54321));
        lab.pump();
        assertThat(lab.connector.opened()).hasSize(1);

        lab.connector.fail(null);
        refreshTimePasses(1);

        assertThat(lab.connector.opened()).containsExactly(ALPHA, ALPHA);
        assertThat(lab.host(ALPHA).definition().address()).isEqualTo("192.0.2.99");
    }

    private void refreshTimePasses(int times) {
        for (int i = 0; i < times; i++) {
            lab.clock.advance(lab.settings.hosts().refresh());
            lab.settle();
        }
    }
}
