package org.stillwater.server.settings;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Encryption of secrets in the database.
 *
 * @param keyFile file of the keys, newest first, each 32 bytes in base64 in a line of its own; it
 *     is only read. Without it, the engine reads systemd's credential stillwater-secrets-key if it
 *     exists, else secrets/keys in the data folder, which the engine creates
 */
@ConfigurationProperties("stillwater.secrets")
public record SecretsSettings(@Nullable Path keyFile) {

    public SecretsSettings {
        Checks.require(
                keyFile == null || keyFile.isAbsolute(),
                "secrets.key-file",
                "an absolute path",
                String.valueOf(keyFile));
    }
}
