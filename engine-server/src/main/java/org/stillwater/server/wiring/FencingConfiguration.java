package org.stillwater.server.wiring;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.command.CommandSettings;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.time.EngineClock;
import org.stillwater.server.fence.FenceAgentCatalog;
import org.stillwater.server.fence.FenceAgents;
import org.stillwater.server.fence.FenceKdumpListener;
import org.stillwater.server.fence.SshSoftFence;
import org.stillwater.server.settings.CommandsSettings;
import org.stillwater.server.settings.KdumpSettings;
import org.stillwater.server.settings.PowerFenceSettings;
import org.stillwater.server.settings.SshFenceSettings;

/** How silent hosts are brought back; none is, unless the settings enable it. */
@Configuration(proxyBeanMethods = false)
class FencingConfiguration {

    @Bean(destroyMethod = "close")
    @ConditionalOnProperty("stillwater.fencing.ssh.enabled")
    SshSoftFence sshSoftFence(SshFenceSettings settings) {
        requireReadable("identity", Objects.requireNonNull(settings.identity()));
        requireReadable("known-hosts", Objects.requireNonNull(settings.knownHosts()));
        return new SshSoftFence(settings);
    }

    @Bean(destroyMethod = "close")
    FenceAgents fenceAgents(
            PowerFenceSettings settings,
            CommandsSettings commands,
            DefinitionStore definitions,
            FenceAgentCatalog catalog) {
        return new FenceAgents(
                settings, definitions, catalog, commands.shadow() ? CommandSettings.SHADOW : null);
    }

    /** Which agents and options are allowed; metadata that cannot be read stops the start. */
    @Bean
    FenceAgentCatalog fenceAgentCatalog(PowerFenceSettings settings) {
        FenceAgentCatalog catalog = FenceAgentCatalog.load(settings.metadata());
        if (!catalog.unusable().isEmpty()) {
            throw new StartRefused(
                    "Metadata of fence agents cannot be read: " + catalog.unusable(),
                    "Correct or remove these files, or correct stillwater.fencing.power.metadata.",
                    null);
        }
        return catalog;
    }

    @Bean(initMethod = "start", destroyMethod = "close")
    FenceKdumpListener kdumpListener(KdumpSettings settings, EngineClock clock) {
        return new FenceKdumpListener(settings, clock);
    }

    /** Found out now rather than when the first host is silent. */
    private static void requireReadable(String name, Path file) {
        if (!Files.isReadable(file)) {
            throw new StartRefused(
                    "The file " + file + " cannot be read.",
                    "Correct stillwater.fencing.ssh."
                            + name
                            + ", or switch soft fencing off by stillwater.fencing.ssh.enabled.",
                    null);
        }
    }
}
