package org.stillwater.server.http;

import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.stereotype.Component;

/** The engine's port answers HTTP/1.1 with reason phrases, and errors without pages. */
@Component
class PhrasedPort implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

    @Override
    public void customize(TomcatServletWebServerFactory factory) {
        factory.setProtocol(PhrasedProtocol.class.getName());
        factory.addContextCustomizers(
                context -> context.getParent().getPipeline().addValve(new PlainErrors()));
    }
}
