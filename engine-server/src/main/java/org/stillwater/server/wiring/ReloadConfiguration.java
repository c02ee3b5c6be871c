package org.stillwater.server.wiring;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.relay.intake.RelayServer;
import org.stillwater.server.configuration.GivenSettings;
import org.stillwater.server.xapi.XapiPools;
import org.stillwater.vdsm.client.VdsmHostConnector;

/** The reload of settings, for an engine that runs. */
@Configuration(proxyBeanMethods = false)
class ReloadConfiguration {

    @Bean
    SettingsReload settingsReload(
            ApplicationArguments arguments,
            ConfigurableEnvironment environment,
            LoggingSystem logging,
            MonitoringEngine engine,
            ObjectProvider<VdsmHostConnector> hosts,
            ObjectProvider<RelayServer> relays,
            XapiPools pools) {
        List<String> options = List.of(arguments.getSourceArgs());
        return new SettingsReload(
                () -> GivenSettings.read(options, null),
                GivenSettings.written(environment),
                new SettingsReload.Effects() {
                    @Override
                    public void level(String logger, @Nullable LogLevel level) {
                        logging.setLogLevel(logger, level);
                    }

                    @Override
                    public void hosts(List<HostDefinition> hosts) throws StoreUnavailable {
                        engine.administration().ensureHosts(hosts);
                    }

                    @Override
                    public List<String> tlsFiles() throws IOException {
                        List<String> lines = new ArrayList<>();
                        VdsmHostConnector connector = hosts.getIfAvailable();
                        if (connector != null && connector.hasTlsFiles()) {
                            lines.add("hosts: " + connector.rereadTlsFiles());
                        }
                        RelayServer relay = relays.getIfAvailable();
                        if (relay != null) {
                            lines.add("relays: " + relay.rereadTlsFiles());
                        }
                        lines.addAll(pools.rereadAuthorities());
                        return lines;
                    }

                    @Override
                    public void audit(AuditEvent event, Map<String, String> details) {
                        engine.commandAccess().audit(event, null, null, details);
                    }
                });
    }

    /** Before an engine is ready, the signal ends it, as it ends every start. */
    @Bean
    ApplicationListener<ApplicationReadyEvent> reloadAtHangUp(SettingsReload reload) {
        return _ -> reload.onHangUp();
    }
}
