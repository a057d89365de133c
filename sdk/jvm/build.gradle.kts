// The library for Android. The Android plugin compiles its Kotlin, from version 9 on.
plugins { id("com.android.library") }

android {
    namespace = "io.pocketintent"
    compileSdk = 36
    defaultConfig {
        minSdk = 23
        consumerProguardFiles("consumer-rules.pro")
        ndk { abiFilters += listOf("arm64-v8a", "armeabi-v7a", "x86_64") }
    }
    externalNativeBuild { cmake { path = file("src/main/c/CMakeLists.txt") } }
}

// Coroutines.kt is for apps that have the library.
dependencies { compileOnly("org.jetbrains.kotlinx:kotlinx-coroutines-core:1.10.2") }
