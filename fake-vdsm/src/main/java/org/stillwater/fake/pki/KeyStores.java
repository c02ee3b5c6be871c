package org.stillwater.fake.pki;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;

/** PKCS#12 stores in memory. */
public final class KeyStores {

    private KeyStores() {}

    static KeyStore empty() throws GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
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
