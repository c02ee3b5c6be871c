package org.stillwater.server.tls;

import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.Http2;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;
import org.stillwater.server.settings.TlsSettings;

/**
 * The port: with TLS and HTTP/2 on 8443, without either on 8080, unless the settings name a port. A
 * launcher that found one of them taken names another by a property of its own, which gives way to
 * the settings.
 */
@Component
class TlsPort implements WebServerFactoryCustomizer<TomcatServletWebServerFactory>, Ordered {

    private static final int SECURE = 8443;
    private static final int PLAIN = 8080;

    private final TlsSettings settings;
    private final Environment environment;

    TlsPort(TlsSettings settings, Environment environment) {
        this.settings = settings;
        this.environment = environment;
    }

    @Override
    public void customize(TomcatServletWebServerFactory factory) {
        if (environment.getProperty("server.port") == null) {
            factory.setPort(
                    settings.enabled()
                            ? port("stillwater.launcher.secure-port", SECURE)
                            : port("stillwater.launcher.plain-port", PLAIN));
        }
        if (settings.enabled()) {
            factory.setSsl(Ssl.forBundle(EngineCertificate.BUNDLE));
            Http2 http2 = new Http2();
            http2.setEnabled(true);
            factory.setHttp2(http2);
        }
    }

    private int port(String property, int usual) {
        Integer said = environment.getProperty(property, Integer.class);
        return said == null ? usual : said;
    }

    /** After Spring Boot's own. */
    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }
}
