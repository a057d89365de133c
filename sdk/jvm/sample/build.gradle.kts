// The sample app. Before it is built, a bot file is made for its assets: docs/android.md.
plugins { id("com.android.application") }

android {
    namespace = "io.pocketintent.sample"
    compileSdk = 36
    defaultConfig {
        applicationId = "io.pocketintent.sample"
        minSdk = 23
        targetSdk = 36
        versionCode = 1
        versionName = "1.0"
    }
    androidResources { noCompress += "safetensors" }
    buildTypes {
        release {
            isMinifyEnabled = true
            proguardFiles(getDefaultProguardFile("proguard-android-optimize.txt"))
        }
    }
}

dependencies { implementation(project(":")) }
