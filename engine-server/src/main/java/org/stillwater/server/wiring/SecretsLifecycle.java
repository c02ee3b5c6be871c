package org.stillwater.server.wiring;

import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.server.fence.FenceAgentHealth;
import org.stillwater.server.secrets.StoredSecrets;

/**
 * Encrypts secrets that are stored readable and checks fence agents once, after the engine has
 * recovered and before it accepts requests.
 */
@Component
class SecretsLifecycle implements SmartLifecycle {

    private final StoredSecrets secrets;
    private final FenceAgentHealth agents;
    private final DefinitionStore definitions;
    private volatile boolean running;

    SecretsLifecycle(StoredSecrets secrets, FenceAgentHealth agents, DefinitionStore definitions) {
        this.secrets = secrets;
        this.agents = agents;
        this.definitions = definitions;
    }

    @Override
    public void start() {
        try {
            secrets.start();
            agents.look(definitions);
        } catch (StoreUnavailable e) {
            throw new StartRefused(
                    "The database stopped answering while the engine started: " + e.getMessage(),
                    "See to the database and start again.",
                    e);
        }
        running = true;
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** After {@link EngineLifecycle}, before the web server. */
    @Override
    public int getPhase() {
        return 1;
    }
}
