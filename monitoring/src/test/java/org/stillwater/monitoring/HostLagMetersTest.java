package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.id.HostId;
import org.stillwater.monitoring.host.OrderAnswer;

/** The meters that hosts have of their own. */
class HostLagMetersTest {

    private static final HostId GAMMA = Lab.hostId(3);

    private final Lab lab = new Lab().storedHosts(ALPHA);

    private List<String> hostsWithMeter() {
        return lab.meters.find("stillwater.host.report.age").gauges().stream()
                .map(gauge -> String.valueOf(gauge.getId().getTag("host")))
                .toList();
    }

    private static String name(HostId host) {
        return Lab.definition(host).name();
    }

    @Test
    void removedHostsNoLongerCountTowardsTheLimit() throws Exception {
        lab.engine.hostsWithOwnLag(1);
        lab.started();
        assertThat(lab.engine.administration().addHost(Lab.definition(BETA))).isTrue();
        assertThat(hostsWithMeter()).containsExactly(name(ALPHA));

        lab.host(ALPHA).disconnect(new HostFailure.Unreachable("cut"));
        lab.settle();
        assertThat(lab.engine.administration().order(ALPHA, new HostFact.Maintain(null)))
                .isNotNull();
        lab.settle();
        assertThat(lab.engine.administration().removeHost(ALPHA, Duration.ofSeconds(1)))
                .isInstanceOf(OrderAnswer.Followed.class);
        lab.pump();
        assertThat(hostsWithMeter()).isEmpty();

        assertThat(lab.engine.administration().addHost(Lab.definition(GAMMA))).isTrue();
        assertThat(hostsWithMeter()).containsExactly(name(GAMMA));
    }

    @Test
    void aLimitOfZeroLeavesNone() throws Exception {
        lab.engine.hostsWithOwnLag(0);
        lab.started();
        assertThat(hostsWithMeter()).isEmpty();
        assertThat(lab.meters.find("stillwater.report.age.max").gauge()).isNotNull();
    }
}
