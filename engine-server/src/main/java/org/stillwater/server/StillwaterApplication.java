package org.stillwater.server;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** The engine as a program. */
@SpringBootApplication(proxyBeanMethods = false)
@ConfigurationPropertiesScan("org.stillwater.server.settings")
public class StillwaterApplication {

    /** Starts the engine and returns when it runs; a failing start ends the process. */
    public static void main(String[] arguments) {
        CarrierThreads.provide(System.getProperties(), Runtime.getRuntime().availableProcessors());
        SpringApplication.run(StillwaterApplication.class, arguments);
    }
}
