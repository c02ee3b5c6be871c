package org.stillwater.server.diagnostics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import java.lang.management.ManagementFactory;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.stereotype.Component;
import org.stillwater.server.configuration.GivenSettings;
import org.stillwater.server.configuration.SecretScrubber;
import org.stillwater.server.settings.DiagnosticsSettings;
import tools.jackson.databind.json.JsonMapper;

/**
 * Registers the engine's answers as a management bean of its process, which programs of the same
 * user reach by attaching to it. Thread-safe.
 */
@Component
final class EngineDiagnostics implements EngineDiagnosticsMXBean, SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(EngineDiagnostics.class);
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final HealthEndpoint health;
    private final MeterRegistry meters;
    private final ConfigurableEnvironment environment;
    private final SecretScrubber scrubber;
    private final JsonMapper json;
    private final RecentLog recent;
    private final ObjectName name;
    private boolean running;

    EngineDiagnostics(
            HealthEndpoint health,
            MeterRegistry meters,
            ConfigurableEnvironment environment,
            JsonMapper json,
            DiagnosticsSettings settings)
            throws JMException {
        this.health = health;
        this.meters = meters;
        this.environment = environment;
        this.scrubber = SecretScrubber.of(environment);
        this.json = json;
        this.recent = new RecentLog(settings.logLines(), settings.longestLine());
        this.name =
                new ObjectName(
                        "org.stillwater:type=EngineDiagnostics,number="
                                + NUMBERS.incrementAndGet());
        recent.attach();
    }

    @Override
    public String getHealth() {
        return scrubber.scrub(
                json.writerWithDefaultPrettyPrinter().writeValueAsString(health.health()) + "\n");
    }

    @Override
    public String getMeters() {
        TreeSet<String> lines = new TreeSet<>();
        for (Meter meter : meters.getMeters()) {
            String tags =
                    meter.getId().getTags().stream()
                            .map(Tag::toString)
                            .collect(Collectors.joining(" "));
            meter.measure()
                    .forEach(each ->
                            lines.add(
                                    "%s %s %s %s"
                                            .formatted(
                                                    meter.getId().getName(),
                                                    each.getStatistic(),
                                                    each.getValue(),
                                                    tags)));
        }
        return scrubber.scrub(String.join("\n", lines) + "\n");
    }

    @Override
    public String getRecentLog() {
        return scrubber.scrub(recent.text());
    }

    @Override
    public String getSettings() {
        return GivenSettings.text(environment, scrubber);
    }

    /** With the first of all, so that a start that hangs can be checked. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }

    @Override
    public synchronized void start() {
        if (!running) {
            try {
                var _ = ManagementFactory.getPlatformMBeanServer().registerMBean(this, name);
                running = true;
            } catch (JMException e) {
                log.warn("Diagnostics cannot be collected from this engine: {}", e.toString());
            }
        }
    }

    @Override
    public synchronized void stop() {
        if (running) {
            running = false;
            try {
                ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
            } catch (JMException e) {
                log.warn("Diagnostics of this engine stay registered: {}", e.toString());
            }
            recent.detach();
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }
}
