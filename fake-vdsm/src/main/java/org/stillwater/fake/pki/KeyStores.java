package org.stillwater.fake.pki;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;

/** Key stores in memory. */
public final class KeyStores {

    private KeyStores() {}

    /** A PKCS#12 store, which can be written to a file. */
    static KeyStore empty() throws GeneralSecurityException {
        return empty("PKCS12");
    }

    /**
     * A store that never leaves the process. PKCS#12 hashes a password ten thousand times for each
     * key that goes in or out, which protects files only.
     */
    static KeyStore emptyForThisProcess() throws GeneralSecurityException {
        return empty("JKS");
    }

    private static KeyStore empty(String type) throws GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(type);
        try {
            store.load(null, null);
        } catch (IOException e) {
            throw new GeneralSecurityException("cannot make an empty key store", e);
        }
        return store;
    }

    /** A store that trusts exactly this CA. */
    public static KeyStore trusting(X509Certificate ca) throws GeneralSecurityException {
        KeyStore store = empty();
        store.setCertificateEntry("ca", ca);
        return store;
    }
}
