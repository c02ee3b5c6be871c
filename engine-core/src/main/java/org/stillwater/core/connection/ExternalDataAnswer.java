package org.stillwater.core.connection;

import org.jspecify.annotations.Nullable;

/**
 * Data that a host holds for a VM outside its disks. Its text form leaves the data out, which is
 * secret.
 *
 * @param hash the host's hash of the data, empty if there is none
 * @param data the data as text, null when it is the data that the engine has already
 */
public record ExternalDataAnswer(String hash, @Nullable String data) {

    @Override
    public String toString() {
        return "ExternalDataAnswer[" + hash + (data == null ? "" : ", with data") + "]";
    }
}
