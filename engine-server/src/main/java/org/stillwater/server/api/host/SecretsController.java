package org.stillwater.server.api.host;

import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.secret.SecretBox;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.server.api.operation.Commands;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Correlation;
import org.stillwater.server.api.web.JsonObjectReader;
import org.stillwater.server.fence.FenceAgentHealth;
import org.stillwater.server.secrets.StoredSecrets;
import org.stillwater.server.xapi.PoolAdministration;
import tools.jackson.databind.JsonNode;

/** Which keys stored secrets are encrypted with, and the change of the key; never a secret. */
@RestController
@RequestMapping("/api/v1/secrets")
class SecretsController {

    private final StoredSecrets secrets;
    private final FenceAgentHealth agents;
    private final DefinitionStore definitions;
    private final PoolAdministration pools;

    SecretsController(
            StoredSecrets secrets,
            FenceAgentHealth agents,
            DefinitionStore definitions,
            PoolAdministration pools) {
        this.pools = pools;
        this.secrets = secrets;
        this.agents = agents;
        this.definitions = definitions;
    }

    @GetMapping
    StoredSecrets.State state() {
        try {
            return secrets.state();
        } catch (StoreUnavailable e) {
            throw unavailable("read", e);
        }
    }

    /** Reads the key file again and encrypts everything with its newest key. */
    @PostMapping("/rotate")
    StoredSecrets.State rotate(
            @RequestAttribute(Correlation.ATTRIBUTE) String correlation,
            @RequestBody(required = false) @Nullable JsonNode body) {
        if (body != null) {
            JsonObjectReader.of(body).end();
        }
        try {
            StoredSecrets.State state = secrets.rotate(Commands.origin(correlation).requestedBy());
            agents.look(definitions);
            pools.reload();
            return state;
        } catch (SecretBox.Unusable e) {
            throw ApiException.conflict("No secret was changed: " + e.getMessage() + ".");
        } catch (StoreUnavailable e) {
            throw unavailable("changed", e);
        }
    }

    private static ApiException unavailable(String what, StoreUnavailable e) {
        return ApiException.unavailable(
                "The secrets were not %s, because the database does not answer: %s"
                        .formatted(what, e.getMessage()));
    }
}
