package org.stillwater.server.http;

import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.stereotype.Component;
import org.stillwater.server.settings.HttpSettings;

/** The engine's port answers HTTP/1.1 with reason phrases, and errors without pages. */
@Component
class PhrasedPort implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

    private final HttpSettings settings;

    PhrasedPort(HttpSettings settings) {
        this.settings = settings;
    }

    @Override
    public void customize(TomcatServletWebServerFactory factory) {
        factory.setProtocol(PhrasedProtocol.class.getName());
        factory.addContextCustomizers(
                context -> context.getParent().getPipeline().addValve(new PlainErrors()));
        long sendBuffer = settings.sendBuffer().toBytes();
        if (sendBuffer > 0) {
            factory.addConnectorCustomizers(connector ->
                    connector.setProperty("socket.txBufSize", Long.toString(sendBuffer)));
        }
    }
}
