package org.stillwater.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.trust.HostCertificate;
import org.stillwater.testkit.ScriptedHost.OrderReply;

/** A scripted host answers orders as the test wants, each exactly once. */
class ScriptedOrdersTest {

    private static final VmId VM = VmId.of(new UUID(0, 7));
    private static final VmOrder RESET = new VmOrder.Reset(VM);

    private final List<HostAnswer<VmId>> answers = new ArrayList<>();
    private final ScriptedHost host =
            new ScriptedHost(
                    new HostDefinition(new HostId(new UUID(0, 1)), "h", "h", 1),
                    new Listener(),
                    new VirtualClock());

    private static final class Listener implements HostListener {

        @Override
        public @Nullable String certificateShown(HostDefinition dialled, HostCertificate shown) {
            return null;
        }

        @Override
        public void connected() {}

        @Override
        public void disconnected(HostFailure failure) {}

        @Override
        public void vmsChanged(VmReports reports) {
            reports.close();
        }

        @Override
        public void migrationProgressed(VmId vmId, int percent, @Nullable Long downtimeMillis) {}

        @Override
        public void networkChanged() {}

        @Override
        public void malformed(String reason) {}
    }

    @Test
    void ordersAreAcceptedByDefault() {
        host.order(RESET, answers::add);
        assertThat(answers).containsExactly(new HostAnswer.Success<>(VM));
        assertThat(host.orders()).containsExactly(RESET);
    }

    @Test
    void ordersAreRefusedHeldBackOrLost() {
        HostFailure lost = new HostFailure.Unreachable("lost");
        host.answersOrders(order ->
                switch (order) {
                    case VmOrder.Create _ -> OrderReply.refuse(RefusalCode.VM_EXISTS);
                    case VmOrder.Pause _ -> OrderReply.HOLD;
                    case VmOrder.Resume _ -> OrderReply.LOSE;
                    default -> new OrderReply.Fail(lost);
                });
        host.order(new VmOrder.Create(VM, "<domain/>"), answers::add);
        assertThat(answers.removeFirst())
                .isEqualTo(
                        new HostAnswer.Failed<>(
                                new HostFailure.Refused(
                                        RefusalCode.VM_EXISTS, "refused by the test")));
        host.order(RESET, answers::add);
        assertThat(answers.removeFirst()).isEqualTo(new HostAnswer.Failed<>(lost));

        host.order(new VmOrder.Pause(VM), answers::add);
        host.order(new VmOrder.Resume(VM), answers::add);
        assertThat(answers).isEmpty();
        assertThat(host.ordersWaiting()).isEqualTo(1);
        assertThat(host.answerOrders()).isEqualTo(1);
        assertThat(answers.removeFirst()).isEqualTo(new HostAnswer.Success<>(VM));
        host.disconnect(lost);
        assertThat(answers).containsExactly(new HostAnswer.Failed<>(lost));
        assertThat(host.orders(VmOrder.Pause.class)).hasSize(1);
        assertThat(host.nextOrder()).isNull();
    }
}
