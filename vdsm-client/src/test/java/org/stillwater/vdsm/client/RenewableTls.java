package org.stillwater.vdsm.client;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509KeyManager;
import javax.net.ssl.X509TrustManager;

/** TLS of a host that changes its certificate and authorities while it listens. Thread-safe. */
final class RenewableTls {

    private volatile KeyManager keys;
    private volatile TrustManager trust;

    RenewableTls(Pki.Identity identity, List<Pki> trusted)
            throws GeneralSecurityException, IOException {
        keys = Pki.keyManagers(identity)[0];
        trust = Pki.trustManagers(trusted)[0];
    }

    /** From now on the host shows this certificate and trusts engines of these authorities. */
    void renew(Pki.Identity identity, List<Pki> trusted)
            throws GeneralSecurityException, IOException {
        keys = Pki.keyManagers(identity)[0];
        trust = Pki.trustManagers(trusted)[0];
    }

    SSLContext context() throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(
                new KeyManager[] {current(X509KeyManager.class, () -> keys)},
                new TrustManager[] {current(X509TrustManager.class, () -> trust)},
                null);
        return context;
    }

    private static <T> T current(Class<T> type, Supplier<?> now) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (_, method, arguments) -> {
                            try {
                                return method.invoke(now.get(), arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        }));
    }
}
