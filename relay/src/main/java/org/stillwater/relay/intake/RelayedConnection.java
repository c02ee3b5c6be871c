package org.stillwater.relay.intake;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.ExternalDataAnswer;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostConnector;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.connection.HostStorage;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.definition.ExternalDataKind;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostHardware;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.time.EngineClock;
import org.stillwater.core.trust.HostCertificate;

/** A connection to a host that reports its VMs through a relay. Thread-safe. */
final class RelayedConnection implements HostConnection {

    private final HostId host;
    private final HostIntake intake;
    private final RelayIntake relays;
    private final EngineClock clock;
    private final HostListener listener;
    private final Runnable arrived;
    private @Nullable HostConnection opened;

    RelayedConnection(
            HostId host,
            HostIntake intake,
            RelayIntake relays,
            EngineClock clock,
            HostListener listener) {
        this.host = host;
        this.intake = intake;
        this.relays = relays;
        this.clock = clock;
        this.listener = listener;
        this.arrived = listener::vmsPushed;
    }

    /** Opens the connection itself. Called before the object is published. */
    void open(HostConnector connector, HostDefinition definition) {
        relays.listen(host, arrived);
        opened = connector.open(definition, new Watch());
    }

    private HostConnection direct() {
        return Objects.requireNonNull(opened, "not opened");
    }

    /** Records when the connection opens: reports of earlier connections are not comparable. */
    private final class Watch implements HostListener {

        @Override
        public @Nullable String certificateShown(HostDefinition dialled, HostCertificate shown) {
            String refusal = listener.certificateShown(dialled, shown);
            if (refusal == null) {
                intake.certificateShown(shown.fingerprint());
            }
            return refusal;
        }

        @Override
        public void connected() {
            intake.directConnected(clock.nanoTime());
            listener.connected();
        }

        @Override
        public void disconnected(HostFailure failure) {
            intake.directLost();
            listener.disconnected(failure);
        }

        @Override
        public void vmsChanged(VmReports reports) {
            listener.vmsChanged(reports);
        }

        @Override
        public void migrationProgressed(VmId vmId, int percent, @Nullable Long downtimeMillis) {
            listener.migrationProgressed(vmId, percent, downtimeMillis);
        }

        @Override
        public void networkChanged() {
            listener.networkChanged();
        }

        @Override
        public void malformed(String reason) {
            listener.malformed(reason);
        }

        @Override
        public void unexplained(String what) {
            listener.unexplained(what);
        }

        @Override
        public void slowed() {
            listener.slowed();
        }

        @Override
        public void altered(String call) {
            listener.altered(call);
        }
    }

    @Override
    public @Nullable String pushTrouble() {
        return intake.trouble(clock.nanoTime());
    }

    @Override
    public void vmStatistics(Consumer<HostAnswer<VmReports>> receiver) {
        VmReports pushed = intake.take(clock.nanoTime());
        if (pushed != null) {
            direct().expectNoPolls();
            receiver.accept(new HostAnswer.Success<>(pushed));
            return;
        }
        direct().vmStatistics(answer -> {
            if (answer instanceof HostAnswer.Success<VmReports>(VmReports reports)) {
                intake.directlyPolled(reports.fetchedNanos());
            }
            receiver.accept(answer);
        });
    }

    @Override
    public void capabilities(Consumer<HostAnswer<HostCapabilities>> receiver) {
        direct().capabilities(receiver);
    }

    @Override
    public void hardware(Consumer<HostAnswer<HostHardware>> receiver) {
        direct().hardware(receiver);
    }

    @Override
    public void statistics(Consumer<HostAnswer<HostStatistics>> receiver) {
        direct().statistics(receiver);
    }

    @Override
    public void domainXmls(List<VmId> vms, Consumer<HostAnswer<Map<VmId, String>>> receiver) {
        direct().domainXmls(vms, receiver);
    }

    @Override
    public void destroy(VmId vm, Consumer<HostAnswer<VmId>> receiver) {
        direct().destroy(vm, receiver);
    }

    @Override
    public void externalData(
            VmId vm,
            ExternalDataKind kind,
            @Nullable String knownHash,
            boolean refresh,
            Consumer<HostAnswer<ExternalDataAnswer>> receiver) {
        direct().externalData(vm, kind, knownHash, refresh, receiver);
    }

    @Override
    public void order(VmOrder order, Consumer<HostAnswer<VmId>> receiver) {
        direct().order(order, receiver);
    }

    @Override
    public HostStorage storage() {
        return direct().storage();
    }

    @Override
    public void reconnect(String reason) {
        direct().reconnect(reason);
    }

    @Override
    public void close() {
        relays.ignore(host, arrived);
        intake.directLost();
        direct().close();
    }
}
