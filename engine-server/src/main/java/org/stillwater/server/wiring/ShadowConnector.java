package org.stillwater.server.wiring;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.CommandSettings;
import org.stillwater.core.connection.ExternalDataAnswer;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostConnector;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.connection.HostStorage;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.connection.StorageTask;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.definition.ExternalDataKind;
import org.stillwater.core.definition.MemoryVolume;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostHardware;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.VmReports;

/**
 * Connections of an engine that only watches: queries are passed on, changes of a host are refused
 * here and never sent. The last of several guards: requests are refused by name before, and
 * monitoring leaves exited VMs to the other engine. Thread-safe.
 */
final class ShadowConnector implements HostConnector {

    private static final HostFailure REFUSED =
            new HostFailure.Refused(RefusalCode.UNEXPECTED, CommandSettings.SHADOW);

    private final HostConnector hosts;

    ShadowConnector(HostConnector hosts) {
        this.hosts = hosts;
    }

    @Override
    public HostConnection open(HostDefinition host, HostListener listener) {
        return new Reading(hosts.open(host, listener));
    }

    /** Nothing was sent, so that the answer comes at once, on the caller's thread. */
    private static <T> void refuse(Consumer<HostAnswer<T>> receiver) {
        receiver.accept(new HostAnswer.Failed<>(REFUSED));
    }

    private static final class Reading implements HostConnection {

        private final HostConnection host;

        Reading(HostConnection host) {
            this.host = host;
        }

        @Override
        public boolean isReadOnly() {
            return true;
        }

        @Override
        public @Nullable String pushTrouble() {
            return host.pushTrouble();
        }

        @Override
        public void capabilities(Consumer<HostAnswer<HostCapabilities>> receiver) {
            host.capabilities(receiver);
        }

        @Override
        public void hardware(Consumer<HostAnswer<HostHardware>> receiver) {
            host.hardware(receiver);
        }

        @Override
        public void statistics(Consumer<HostAnswer<HostStatistics>> receiver) {
            host.statistics(receiver);
        }

        @Override
        public void vmStatistics(Consumer<HostAnswer<VmReports>> receiver) {
            host.vmStatistics(receiver);
        }

        @Override
        public void domainXmls(List<VmId> vms, Consumer<HostAnswer<Map<VmId, String>>> receiver) {
            host.domainXmls(vms, receiver);
        }

        @Override
        public void destroy(VmId vm, Consumer<HostAnswer<VmId>> receiver) {
            refuse(receiver);
        }

        @Override
        public void externalData(
                VmId vm,
                ExternalDataKind kind,
                @Nullable String knownHash,
                boolean refresh,
                Consumer<HostAnswer<ExternalDataAnswer>> receiver) {
            host.externalData(vm, kind, knownHash, refresh, receiver);
        }

        @Override
        public void order(VmOrder order, Consumer<HostAnswer<VmId>> receiver) {
            refuse(receiver);
        }

        @Override
        public HostStorage storage() {
            return new ReadingStorage(host.storage());
        }

        @Override
        public void reconnect(String reason) {
            host.reconnect(reason);
        }

        @Override
        public void close() {
            host.close();
        }
    }

    private static final class ReadingStorage implements HostStorage {

        private final HostStorage storage;

        ReadingStorage(HostStorage storage) {
            this.storage = storage;
        }

        @Override
        public void isManager(UUID pool, Consumer<HostAnswer<Boolean>> receiver) {
            storage.isManager(pool, receiver);
        }

        @Override
        public void createVolume(
                MemoryVolume volume,
                long bytes,
                Content content,
                Consumer<HostAnswer<String>> receiver) {
            refuse(receiver);
        }

        @Override
        public void deleteImage(MemoryVolume volume, Consumer<HostAnswer<String>> receiver) {
            refuse(receiver);
        }

        @Override
        public void createLease(UUID domain, VmId vm, Consumer<HostAnswer<String>> receiver) {
            refuse(receiver);
        }

        @Override
        public void deleteLease(UUID domain, VmId vm, Consumer<HostAnswer<String>> receiver) {
            refuse(receiver);
        }

        @Override
        public void lease(UUID domain, VmId vm, Consumer<HostAnswer<VmLease.Place>> receiver) {
            storage.lease(domain, vm, receiver);
        }

        @Override
        public void task(String task, Consumer<HostAnswer<StorageTask>> receiver) {
            storage.task(task, receiver);
        }

        @Override
        public void clearTask(String task, Consumer<HostAnswer<String>> receiver) {
            refuse(receiver);
        }
    }
}
