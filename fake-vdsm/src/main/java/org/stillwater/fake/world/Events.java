package org.stillwater.fake.world;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.net.EventPublisher;
import org.stillwater.fake.net.HostEvent;

/**
 * Makes the events of §4 and hands them to the transport. The content of each follows §4.4 case by
 * case; the stamp comes from the clock of {@code statusTime}. The caller holds the world's lock and
 * the monitor of the host.
 */
final class Events {

    private volatile EventPublisher publisher = (host, event) -> {};

    private volatile EventPublisher observer = (host, event) -> {};

    void publishTo(EventPublisher newPublisher) {
        publisher = newPublisher;
    }

    /** Receives every event as well, after the publisher. */
    void alsoTell(EventPublisher newObserver) {
        observer = newObserver;
    }

    /** A status and nothing else: pause by a user, resume, migration started or failed. */
    void status(Domain domain) {
        vmStatus(domain, (out, moment) -> statusOnly(out, domain, moment));
    }

    /** Running now: started, recovered after a restart of VDSM, arrived by migration. */
    void started(Domain domain) {
        vmStatus(domain, (out, moment) -> VmReport.startedEvent(out, domain, moment));
    }

    /** The guest agent has changed its state. */
    void agent(Domain domain) {
        vmStatus(domain, (out, moment) -> VmReport.agentEvent(out, domain, moment));
    }

    void down(Domain domain) {
        vmStatus(domain, (out, moment) -> VmReport.down(out, domain));
    }

    void ioError(Domain domain, String pauseCode, @Nullable Disk disk) {
        vmStatus(
                domain,
                (out, moment) -> {
                    out.name("status").text("Paused").name("pauseCode").text(pauseCode);
                    if (disk != null) {
                        out.name("ioerror")
                                .object()
                                .name("alias")
                                .text("ua-" + disk.deviceId())
                                .name("name")
                                .text(disk.device())
                                .name("path")
                                .text(disk.path())
                                .endObject();
                    }
                });
    }

    void switchedToPostCopy(Domain domain) {
        vmStatus(
                domain,
                (out, moment) ->
                        out.name("status").text("Paused").name("pauseCode").text("POSTCOPY"));
    }

    /** Progress of a migration; the downtime is known only at the end. */
    void migrationProgress(Domain source, int percent, boolean postCopy, long downtimeMillis) {
        send(
                source,
                "VM_migration_status",
                (out, moment) -> {
                    out.name("progress").number(percent).name("postcopy").bool(postCopy);
                    if (downtimeMillis >= 0) {
                        out.name("downtime").number(downtimeMillis);
                    }
                });
    }

    /** The host's network has changed: read its capabilities again. */
    void hostConnection(FakeHost host) {
        JsonOut out = new JsonOut(128).object().name("jsonrpc").text("2.0");
        out.name("method").text("|net|host_conn|no_id").name("params").object();
        end(host, out, host.moment(), "|net|host_conn|no_id");
    }

    /** The host reports this status of a VM that it does not have. */
    void claimed(FakeHost host, String vmId, String status) {
        String method = "|virt|VM_status|" + vmId;
        JsonOut out =
                new JsonOut(256)
                        .object()
                        .name("jsonrpc")
                        .text("2.0")
                        .name("method")
                        .text(method)
                        .name("params")
                        .object()
                        .name(vmId)
                        .object();
        VmReport.claimed(out, vmId, status);
        out.endObject();
        end(host, out, host.moment(), method);
    }

    /** The status that a poll would report now, for storms. */
    HostEvent fresh(Domain domain) {
        HostMoment moment = domain.host.moment();
        String method = "|virt|VM_status|" + domain.machine.idText;
        JsonOut out = begin(domain, method);
        if (domain.isDown()) {
            VmReport.down(out, domain);
        } else {
            statusOnly(out, domain, moment);
        }
        out.endObject();
        return finished(out, moment, method);
    }

    private static void statusOnly(JsonOut out, Domain domain, HostMoment moment) {
        out.name("status").text(domain.status(moment.now()));
    }

    private void vmStatus(Domain domain, BiConsumer<JsonOut, HostMoment> content) {
        send(domain, "VM_status", content);
    }

    private void send(Domain domain, String operation, BiConsumer<JsonOut, HostMoment> content) {
        if (domain.host.condition() != FakeHost.Condition.UP) {
            return;
        }
        HostMoment moment = domain.host.moment();
        String method = "|virt|" + operation + "|" + domain.machine.idText;
        JsonOut out = begin(domain, method);
        content.accept(out, moment);
        out.endObject();
        end(domain.host, out, moment, method);
    }

    private static JsonOut begin(Domain domain, String method) {
        return new JsonOut(512)
                .object()
                .name("jsonrpc")
                .text("2.0")
                .name("method")
                .text(method)
                .name("params")
                .object()
                .name(domain.machine.idText)
                .object();
    }

    private void end(FakeHost host, JsonOut out, HostMoment moment, String method) {
        HostEvent event = finished(out, moment, method);
        publisher.publish(host.name, event);
        observer.publish(host.name, event);
    }

    private static HostEvent finished(JsonOut out, HostMoment moment, String method) {
        out.name("notify_time").number(moment.stamp()).endObject().endObject();
        return new HostEvent(method, out.body());
    }
}
