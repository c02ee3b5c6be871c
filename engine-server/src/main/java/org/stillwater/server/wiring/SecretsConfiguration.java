package org.stillwater.server.wiring;

import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.secret.SecretStore;
import org.stillwater.dal.Database;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.VmCommandAccess;
import org.stillwater.server.fence.FenceAgentCatalog;
import org.stillwater.server.fence.FenceAgentHealth;
import org.stillwater.server.secrets.AesSecretBox;
import org.stillwater.server.secrets.SecretKeyFile;
import org.stillwater.server.secrets.StoredSecrets;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.SecretsSettings;

/** Encrypted secrets: their keys, their treatment at the start, and their reports. */
@Configuration(proxyBeanMethods = false)
class SecretsConfiguration {

    /**
     * Variable with the folder in which systemd puts credentials; set by systemd for the service
     * alone.
     */
    private static final String CREDENTIALS = "CREDENTIALS_DIRECTORY";

    @Bean
    SecretKeyFile secretKeyFile(
            SecretsSettings settings, FleetSettings fleet, Environment environment) {
        @Nullable String credentials = environment.getProperty(CREDENTIALS);
        return SecretKeyFile.find(
                settings.keyFile(),
                credentials == null ? null : Path.of(credentials),
                fleet.dataFolder());
    }

    @Bean
    AesSecretBox secretBox(SecretKeyFile file) {
        return new AesSecretBox(file);
    }

    @Bean
    SecretStore secretStore(Database database) {
        return database.secrets();
    }

    @Bean
    StoredSecrets storedSecrets(
            SecretKeyFile file, AesSecretBox box, SecretStore store, MonitoringEngine engine) {
        VmCommandAccess vmAccess = engine.commandAccess();
        return new StoredSecrets(
                file, box, store, (event, details) -> vmAccess.audit(event, null, null, details));
    }

    @Bean
    FenceAgentHealth fenceAgentHealth(FenceAgentCatalog catalog, MonitoringEngine engine) {
        VmCommandAccess vmAccess = engine.commandAccess();
        return new FenceAgentHealth(
                catalog,
                (host, refused) ->
                        vmAccess.audit(
                                AuditEvent.FENCE_AGENT_REFUSED,
                                null,
                                host,
                                Map.of("agent", refused.agent(), "reason", refused.reason())));
    }
}
