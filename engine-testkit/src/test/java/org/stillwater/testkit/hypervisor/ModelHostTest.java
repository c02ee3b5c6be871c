package org.stillwater.testkit.hypervisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.connection.MigrationParameters;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.definition.ExternalDataKind;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.trust.HostCertificate;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.Samples;
import org.stillwater.testkit.VirtualClock;

/** A model host answers orders as VDSM does. */
class ModelHostTest {

    private static final int DONE = 0;

    private final ModelDataCentre centre = new ModelDataCentre(new VirtualClock());
    private final ModelHost source = centre.host(Samples.hostDefinition(1));
    private final ModelHost destination = centre.host(Samples.hostDefinition(2));
    private final HostConnection connection = source.open(new Deaf());
    private final List<VmId> vms = List.of(Samples.vm(1), Samples.vm(2), Samples.vm(3));

    /** A listener that ignores all. */
    private static final class Deaf implements HostListener {
        @Override
        public @Nullable String certificateShown(HostDefinition dialled, HostCertificate shown) {
            return null;
        }

        @Override
        public void connected() {}

        @Override
        public void disconnected(HostFailure failure) {}

        @Override
        public void vmsChanged(VmReports reports) {}

        @Override
        public void migrationProgressed(VmId vmId, int percent, @Nullable Long downtimeMillis) {}

        @Override
        public void networkChanged() {}

        @Override
        public void malformed(String reason) {}
    }

    private static int code(HostAnswer<?> answer) {
        return answer instanceof HostAnswer.Failed<?> failed
                        && failed.failure() instanceof HostFailure.Refused refused
                ? refused.code()
                : DONE;
    }

    private int order(VmOrder order) {
        List<Integer> codes = new ArrayList<>();
        connection.order(order, answer -> codes.add(code(answer)));
        boolean _ = centre.step();
        return codes.getLast();
    }

    private int migrate(VmId vm, String address) {
        return order(new VmOrder.Migrate(vm, "source", address, MigrationParameters.DEFAULT));
    }

    private String address() {
        HostDefinition definition = destination.definition();
        return definition.address() + ":" + definition.port();
    }

    private void pass(int seconds) {
        centre.advance(Duration.ofSeconds(seconds), () -> centre.step());
    }

    @Test
    void migrationsBeyondTheLimitWaitInTheHost() {
        vms.forEach(source::put);
        vms.forEach(vm -> assertThat(migrate(vm, address())).isEqualTo(DONE));
        assertThat(vms).allMatch(vm -> source.status(vm) == VmStatus.MIGRATING_FROM);
        assertThat(destination.running()).hasSize(2);
        pass(60);
        assertThat(destination.running()).containsExactlyInAnyOrderElementsOf(vms);
    }

    @Test
    void aMigrationToAMissingHostIsAcceptedAndComesBack() {
        source.put(vms.getFirst());
        assertThat(migrate(vms.getFirst(), "nowhere:1")).isEqualTo(DONE);
        assertThat(migrate(vms.getFirst(), "nowhere:1")).as("meanwhile").isEqualTo(51);
        pass(5);
        assertThat(source.status(vms.getFirst())).isEqualTo(VmStatus.UP);
    }

    @Test
    void cancellingIsRefusedOnlyAfterAMigration() {
        VmId vm = vms.getFirst();
        source.put(vm);
        assertThat(order(new VmOrder.CancelMigration(vm))).as("never moved").isEqualTo(DONE);
        migrate(vm, address());
        assertThat(order(new VmOrder.CancelMigration(vm))).isEqualTo(DONE);
        assertThat(source.status(vm)).isEqualTo(VmStatus.UP);
        assertThat(destination.status(vm)).as("the source cleaned up").isNull();
        assertThat(order(new VmOrder.CancelMigration(vm))).isEqualTo(47);
    }

    @Test
    void missingVmsAreNotDestroyed() {
        source.put(vms.getFirst());
        assertThat(order(new VmOrder.Destroy(vms.getFirst(), 0))).isEqualTo(DONE);
        assertThat(order(new VmOrder.Destroy(vms.getFirst(), 0))).isEqualTo(1);
    }

    @Test
    void thereIsNoExternalData() {
        source.put(vms.getFirst());
        List<Integer> codes = new ArrayList<>();
        for (VmId vm : vms.subList(0, 2)) {
            connection.externalData(
                    vm, ExternalDataKind.TPM, null, true, answer -> codes.add(code(answer)));
            boolean _ = centre.step();
        }
        assertThat(codes).containsExactly(89, 1);
    }
}
