package org.stillwater.fake.control;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.net.HostTransport;
import org.stillwater.fake.net.TransportMetrics;
import org.stillwater.fake.world.World;

/** Writes the Prometheus text format, version 0.0.4. */
final class Metrics {

    private final StringBuilder text = new StringBuilder(4096);

    private Metrics() {}

    static String text(World world, @Nullable HostTransport transport) {
        Metrics metrics = new Metrics();
        int vms = world.hosts().stream().mapToInt(host -> host.vmCount()).sum();
        metrics.gauge("hosts", "Simulated hosts.", world.hosts().size());
        metrics.gauge("vms", "VM records on all hosts.", vms);
        metrics.gauge("planned_steps", "Steps still to come.", world.plannedSteps());
        metrics.gauge(
                "virtual_time_milliseconds",
                "Virtual time since the world began.",
                world.clock().millis());
        if (transport != null) {
            metrics.transport(transport.metrics());
        }
        return metrics.text.toString();
    }

    private void transport(TransportMetrics wire) {
        gauge("connections", "Connections now.", wire.connections());
        counter("connections_accepted", "Connections accepted.", wire.accepted());
        counter("handshakes_failed", "TLS handshakes that failed.", wire.handshakesFailed());
        counter("received_bytes", "Bytes read, after TLS.", wire.bytesIn());
        counter("sent_bytes", "Bytes written, before TLS.", wire.bytesOut());
        counter("received_frames", "STOMP frames read.", wire.framesIn());
        counter("sent_frames", "STOMP frames written.", wire.framesOut());
        counter("sent_heart_beats", "Heart-beats written.", wire.heartBeatsOut());
        counter("events", "Events delivered, one per subscriber.", wire.events());
        counter("refused_calls", "Calls refused with code 1100.", wire.refusedCalls());
        counters("requests", "Requests by verb.", "verb", wire.requests());
        counters("connections_dropped", "Connections dropped by reason.", "reason", wire.dropped());
        counters("faults_fired", "Faults that struck, by kind.", "kind", wire.faultsFired());
    }

    private void gauge(String name, String help, long value) {
        head(name, help, "gauge");
        text.append("fake_vdsm_").append(name).append(' ').append(value).append('\n');
    }

    private void counter(String name, String help, long value) {
        head(name + "_total", help, "counter");
        text.append("fake_vdsm_").append(name).append("_total ").append(value).append('\n');
    }

    private void counters(String name, String help, String label, Map<String, Long> values) {
        head(name + "_total", help, "counter");
        new TreeMap<>(values)
                .forEach((key, value) ->
                        text.append("fake_vdsm_")
                                .append(name)
                                .append("_total{")
                                .append(label)
                                .append("=\"")
                                .append(escaped(key))
                                .append("\"} ")
                                .append(value)
                                .append('\n'));
    }

    private void head(String name, String help, String type) {
        text.append("# HELP fake_vdsm_")
                .append(name)
                .append(' ')
                .append(help)
                .append("\n# TYPE fake_vdsm_")
                .append(name)
                .append(' ')
                .append(type)
                .append('\n');
    }

    private static String escaped(String label) {
        return label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
