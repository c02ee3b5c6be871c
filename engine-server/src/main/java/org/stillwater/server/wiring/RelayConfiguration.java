package org.stillwater.server.wiring;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.core.time.EngineClock;
import org.stillwater.relay.intake.CommandOutcome;
import org.stillwater.relay.intake.RelayIntake;
import org.stillwater.relay.intake.RelayServer;
import org.stillwater.server.settings.CycleSettings;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.RelaySettings;
import org.stillwater.vdsm.client.TlsSettings.KeyMaterial;
import org.stillwater.vdsm.client.VdsmHostConnector;

/** Relays, if the engine listens for them. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("stillwater.relay.enabled")
class RelayConfiguration {

    private static final String ADVICE =
            "Correct stillwater.relay: its address and port, its files in PEM, and its hosts, of"
                    + " which each belongs to one relay.";

    @Bean
    RelayIntake relayIntake(
            RelaySettings settings,
            EngineClock clock,
            MeterRegistry meters,
            ObjectProvider<VdsmHostConnector> hosts) {
        Map<CommandOutcome, Counter> counters = counters(meters);
        try {
            RelayIntake intake =
                    new RelayIntake(settings.hostsByRelay(), settings.mostCells(), clock);
            switch (settings.commands()) {
                case DIRECT -> {}
                case RELAY -> {
                    intake.carryCommands(
                            new RelayIntake.CommandLimits(
                                    settings.callsPerHost(),
                                    settings.calls(),
                                    (int) settings.callSize().toBytes()),
                            outcome -> Objects.requireNonNull(counters.get(outcome)).increment());
                    hosts.ifAvailable(each -> each.passCommandsThrough(intake::passage));
                }
            }
            return intake;
        } catch (IllegalArgumentException e) {
            throw new StartRefused("Relays cannot be taken: " + e.getMessage(), ADVICE, e);
        }
    }

    private static Map<CommandOutcome, Counter> counters(MeterRegistry meters) {
        Map<CommandOutcome, Counter> counters = new EnumMap<>(CommandOutcome.class);
        for (CommandOutcome each : CommandOutcome.values()) {
            counters.put(
                    each,
                    Counter.builder("stillwater.relay.calls")
                            .tag("way", each.way())
                            .tag("outcome", each.outcome())
                            .description(
                                    "Commands to hosts with a relay, with"
                                            + " stillwater.relay.commands=relay, by way and"
                                            + " outcome")
                            .register(meters));
        }
        return counters;
    }

    @Bean(destroyMethod = "close")
    RelayServer relayServer(
            RelaySettings settings,
            CycleSettings cycle,
            FleetSettings fleet,
            RelayIntake intake,
            EngineClock clock,
            MeterRegistry meters) {
        KeyMaterial.Pem files = material(settings, fleet.dataFolder().resolve("pki"));
        try {
            RelayServer server =
                    RelayServer.start(
                            new InetSocketAddress(
                                    InetAddress.ofLiteral(settings.address()), settings.port()),
                            new RelayServer.Files(
                                    files.key().toFile(),
                                    files.certificate().toFile(),
                                    files.authorities().toFile()),
                            new RelayServer.Pace(
                                    cycle.interval(),
                                    settings.window(),
                                    settings.mark(),
                                    settings.silentStreams(),
                                    settings.helloTimeout()),
                            intake,
                            clock);
            Gauge.builder("stillwater.relay.connected", server, RelayServer::connected)
                    .baseUnit("relays")
                    .description("Relays that are connected")
                    .register(meters);
            Gauge.builder("stillwater.relay.hosts", intake, RelayIntake::pushed)
                    .baseUnit("hosts")
                    .description("Hosts for which a relay stands, so that they are not polled")
                    .register(meters);
            return server;
        } catch (IOException | IllegalArgumentException e) {
            throw new StartRefused("Relays cannot be taken: " + e.getMessage(), ADVICE, e);
        }
    }

    static KeyMaterial.Pem material(RelaySettings settings, Path pki) {
        return new KeyMaterial.Pem(
                file(settings.key(), pki, "engine.key.pem"),
                file(settings.certificate(), pki, "engine.pem"),
                file(settings.authorities(), pki, "ca.pem"));
    }

    private static Path file(@Nullable Path given, Path pki, String name) {
        return given == null ? pki.resolve(name) : given;
    }
}
